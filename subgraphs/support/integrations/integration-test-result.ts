import { Field, ObjectType } from 'type-graphql';
import type { Outcome } from './integration.provider.ts';

/** Result of testing an integration. */
@ObjectType({ description: 'Result of testing an integration.' })
export class IntegrationTest {
  @Field(() => Boolean, { description: 'True if the integration works.' })
  succeeded!: boolean;

  @Field(() => String, { nullable: true, description: 'Error message of the remote system or the connection. Null if it works.' })
  error!: string | null;

  @Field(() => Date, { description: 'When the test was run.' })
  testedAt!: Date;
}

export const testResultOf = (outcome: Outcome, testedAt: Date): IntegrationTest => ({
  succeeded: outcome.kind === 'delivered',
  error: 'error' in outcome ? outcome.error : null,
  testedAt,
});
