import { Field, ObjectType } from 'type-graphql';

/** Customer on an invoice, with the values at the time when it was issued. */
@ObjectType({ description: 'Customer on an invoice, as it was when the invoice was issued.' })
export class BillTo {
  @Field(() => String, { description: 'Name of the customer.' })
  name!: string;

  @Field(() => [String], { description: 'Postal address, line by line, from the street to the country. Empty if it is unknown.' })
  address!: string[];

  @Field(() => String, { nullable: true, description: 'VAT number or another tax number. Null if there is none.' })
  taxId!: string | null;
}
