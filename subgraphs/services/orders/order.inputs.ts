import { ArrayMaxSize, IsOptional, Matches, ValidateNested } from 'class-validator';
import { Directive, Field, ID, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../kernel/graphql/characters.ts';
import { MaxJson } from '../../../kernel/graphql/max-json.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { ORDER_ACCOUNT, ORDER_CYCLE } from '../accounts/order-account.ts';
import { IsBandwidth } from '../coverage/is-bandwidth.ts';
import { ServiceLocation } from '../coverage/location.ts';
import { ServiceContacts } from '../inventory/service-contacts.ts';
import type { Order, ProductOrder } from '../products/product-order.ts';
import { QuoteIdField, QuoteLineField } from '../products/quote-fields.ts';
import { products } from '../products/registry.ts';

@InputType({ description: 'Service of the catalog to order.' })
export class CatalogOrderInput {
  @Field(() => ID, { description: 'Id of a catalog entry that can be ordered, such as `business_fiber`.' })
  @Characters(1, 100)
  catalogId!: string;

  @Field(() => ID, { nullable: true, description: ORDER_ACCOUNT })
  @IsOptional()
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Bandwidth from the catalog, such as 500mbps or 1gbps, if the service is sold by bandwidth.',
  })
  @IsOptional()
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth?: string | null;

  @Field(() => ServiceLocation, { nullable: true, description: 'Street address where the service is built, if the service has one.' })
  @IsOptional()
  @ValidateNested()
  location?: ServiceLocation | null;

  @Field(() => String, {
    nullable: true,
    description: 'Service level from the catalog. Default: the first service level of the catalog entry.',
  })
  @IsOptional()
  @MaxCharacters(50)
  sla?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Features from the catalog that are switched on, such as `static_ip`. At most 50.',
  })
  @IsOptional()
  @ArrayMaxSize(50, { message: 'must have at most 50 entries' })
  features?: string[] | null;

  @Field(() => JsonObject, { nullable: true, description: 'Settings that are specific to the kind of service, at most 16 KiB.' })
  @IsOptional()
  @MaxJson()
  configuration?: Record<string, unknown> | null;

  @Field(() => BillingCycle, { nullable: true, description: ORDER_CYCLE })
  @IsOptional()
  billingCycle?: BillingCycle | null;

  @Field(() => ServiceContacts, { nullable: true, description: 'People to contact about the service.' })
  @IsOptional()
  @ValidateNested()
  contacts?: ServiceContacts | null;

  @Field(() => String, { nullable: true, description: 'Name shown in lists. Default: a name made of the catalog entry and the place.' })
  @IsOptional()
  @Characters(1, 200)
  name?: string | null;

  @QuoteIdField()
  quoteId?: string | null;

  @QuoteLineField()
  quoteLine?: number | null;
}

/** Returns the order of a service of the catalog. */
export const catalogOrderOf = ({ catalogId, location = null, ...order }: CatalogOrderInput): Order => ({
  ...order,
  location,
  catalog: { id: catalogId },
});

/** Products with typed orders, by the name of their field in `ServiceOrderInput`. */
export const TYPED_ORDERS: ReadonlyMap<string, ProductOrder> = new Map(
  products.flatMap(({ type, order }) => (order ? [[type.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()), order]] : [])),
);

@InputType({ description: 'Service to order. Exactly one field must be set.' })
@Directive('@oneOf')
export class ServiceOrderInput {
  @Field(() => CatalogOrderInput, {
    nullable: true,
    description: 'A service of any kind, by its id in the catalog. The settings of its kind are JSON.',
  })
  @ValidateNested()
  catalog?: CatalogOrderInput;

  /** Orders of products with typed settings. */
  [product: string]: object | undefined;
}
for (const [name, { input }] of TYPED_ORDERS) {
  Field(() => input, { nullable: true, description: 'A service of this kind, with typed settings.' })(ServiceOrderInput.prototype, name);
  ValidateNested()(ServiceOrderInput.prototype, name);
}
