import { Field, ObjectType } from 'type-graphql';

/** Seller on an invoice, with the values at the time when the invoice was issued. */
@ObjectType({ description: 'Seller on an invoice, as it was when the invoice was issued.' })
export class Seller {
  @Field(() => String, { description: 'Legal name of the seller.' })
  name!: string;

  @Field(() => [String], { description: 'Postal address, line by line, from the street to the country. Empty if it is unknown.' })
  address!: string[];

  @Field(() => String, { nullable: true, description: 'VAT number or another tax number. Null if there is none.' })
  taxId!: string | null;

  @Field(() => String, { nullable: true, description: 'Text at the end of the invoice, such as how to pay. Null if there is none.' })
  footer!: string | null;
}
