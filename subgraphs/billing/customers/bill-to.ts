import { Field, ObjectType } from 'type-graphql';

/** The customer on an invoice, as of its issue. */
@ObjectType({ description: 'The customer on an invoice, as of its issue.' })
export class BillTo {
  @Field(() => String, { description: 'Name of the customer.' })
  name!: string;

  @Field(() => [String], { description: 'Postal address, line by line, from the street to the country. Empty if it is unknown.' })
  address!: string[];

  @Field(() => String, { nullable: true, description: 'VAT number or another tax number. Null if there is none.' })
  taxId!: string | null;
}
