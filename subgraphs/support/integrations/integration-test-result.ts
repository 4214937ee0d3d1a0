import { Field, ObjectType } from 'type-graphql';
import type { Outcome } from './integration.provider.ts';

/** Result of testing an integration. */
@ObjectType({ description: 'What came of trying an integration out.' })
export class IntegrationTest {
  @Field(() => Boolean, { description: 'Whether it works.' })
  succeeded!: boolean;

  @Field(() => String, { nullable: true, description: 'Why it does not, in words of the remote or of the connection.' })
  error!: string | null;

  @Field(() => Date)
  testedAt!: Date;
}

export const testResultOf = (outcome: Outcome, testedAt: Date): IntegrationTest => ({
  succeeded: outcome.kind === 'delivered',
  error: 'error' in outcome ? outcome.error : null,
  testedAt,
});
