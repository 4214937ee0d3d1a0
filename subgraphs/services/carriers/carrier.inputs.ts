import { IsOptional } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { IsZip } from '../coverage/location.ts';
import { AccessTechnology } from '../coverage/technology.ts';

@InputType({ description: 'Conditions for a list of carriers. A carrier must meet all of them in the same area.' })
export class CarrierFilter {
  @Field(() => String, {
    nullable: true,
    description: 'Only carriers that serve this ZIP code. It has 5 or 9 digits, such as 10118 or 10118-0110.',
  })
  @IsOptional()
  @IsZip()
  zip?: string | null;

  @Field(() => [AccessTechnology], { nullable: true, description: 'Only carriers with one of these technologies.' })
  technology?: AccessTechnology[] | null;
}

export enum CarrierSortField {
  NAME = 'name',
  INSTALLATION_DAYS = 'installationDays',
}
export const CarrierSort = sortOf('Carrier', CarrierSortField, {
  INSTALLATION_DAYS: 'Usual number of days from an order to a working line.',
});
