import { ArrayMaxSize, ArrayMinSize, IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, MaxCharacters } from '../../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../../kernel/graphql/not-null.ts';
import { definedOnly } from '../../../../kernel/records/records.ts';
import { BillingCycle } from '../../../../kernel/values/billing-cycle.ts';
import { ORDER_CYCLE } from '../../accounts/order-account.ts';
import { IsBandwidth } from '../../coverage/is-bandwidth.ts';
import { ServiceContacts } from '../../inventory/service-contacts.ts';
import { productOrder } from '../product-order.ts';
import { QuoteIdField, QuoteLineField } from '../quote-fields.ts';
import { MAX_LOCATIONS, MIN_LOCATIONS, NetworkLocation, NetworkTopology, NetworkType } from './network.values.ts';

const COUNT = `must have ${MIN_LOCATIONS} to ${MAX_LOCATIONS} entries`;

@InputType({ description: 'Network to order.' })
export class NetworkOrderInput {
  @Field(() => NetworkType, { description: 'Technology of the network.' })
  networkType!: NetworkType;

  @Field(() => NetworkTopology, { description: 'How the sites are connected.' })
  topology!: NetworkTopology;

  @Field(() => [NetworkLocation], { description: `Sites, 2 to ${MAX_LOCATIONS}. Each site is billed.` })
  @ArrayMinSize(MIN_LOCATIONS, { message: COUNT })
  @ArrayMaxSize(MAX_LOCATIONS, { message: COUNT })
  @ValidateNested({ each: true })
  locations!: NetworkLocation[];

  @Field(() => String, { description: 'Bandwidth of each site from the catalog, such as 500mbps.' })
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth!: string;

  @Field(() => Boolean, { nullable: true, description: 'Whether each site gets a second connection. Default: false.' })
  redundancy?: boolean | null;

  @Field(() => ID, {
    nullable: true,
    description:
      "Account that the network is for (`acc_…`). Default: your organization's own account, or your only account if you are limited to one account.",
  })
  @IsOptional()
  @Matches(/^acc_\w+$/, { message: 'must be an account id (acc_…)' })
  accountId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Service level from the catalog. Default: the first service level of the catalog entry.',
  })
  @IsOptional()
  @MaxCharacters(50)
  sla?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Features from the catalog that are switched on, such as `encryption`. At most 50.',
  })
  @IsOptional()
  @ArrayMaxSize(50, { message: 'must have at most 50 entries' })
  features?: string[] | null;

  @Field(() => BillingCycle, { nullable: true, description: ORDER_CYCLE })
  @IsOptional()
  billingCycle?: BillingCycle | null;

  @Field(() => String, { nullable: true, description: 'Name shown in lists. Default: the name of the catalog entry.' })
  @IsOptional()
  @Characters(1, 200)
  name?: string | null;

  @QuoteIdField()
  quoteId?: string | null;

  @QuoteLineField()
  quoteLine?: number | null;
}

@InputType({ description: 'New terms of a network. Omit a field to keep its value.' })
export class NetworkUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name shown in lists, 1 to 200 characters.' })
  @NotNull()
  @Characters(1, 200)
  name?: string;

  @Field(() => NetworkTopology, { nullable: true, description: 'How the sites are connected.' })
  @NotNull()
  topology?: NetworkTopology;

  @Field(() => [NetworkLocation], {
    nullable: true,
    description: `All sites, 2 to ${MAX_LOCATIONS}. A site that is not in the list is removed.`,
  })
  @NotNull()
  @ArrayMinSize(MIN_LOCATIONS, { message: COUNT })
  @ArrayMaxSize(MAX_LOCATIONS, { message: COUNT })
  @ValidateNested({ each: true })
  locations?: NetworkLocation[];

  @Field(() => String, { nullable: true, description: 'Bandwidth of each site from the catalog, such as 500mbps.' })
  @NotNull()
  @MaxCharacters(20)
  @IsBandwidth()
  bandwidth?: string;

  @Field(() => Boolean, { nullable: true, description: 'Whether each site gets a second connection.' })
  @NotNull()
  redundancy?: boolean;

  @Field(() => String, { nullable: true, description: 'Service level from the catalog, such as `enterprise`.' })
  @NotNull()
  @MaxCharacters(50)
  sla?: string;

  @Field(() => BillingCycle, { nullable: true, description: 'How often the network is invoiced.' })
  @NotNull()
  billingCycle?: BillingCycle;

  @Field(() => ServiceContacts, { nullable: true, description: 'People to contact. Replaces all contacts; null means nobody.' })
  @IsOptional()
  @ValidateNested()
  contacts?: ServiceContacts | null;
}

/** Converts settings to the form that is stored: with the field names of the REST API, and without undefined values. */
export const settingsOf = ({ locations, ...settings }: { locations?: NetworkLocation[] | undefined; [name: string]: unknown }) =>
  definedOnly({
    ...settings,
    locations: locations?.map(({ id, address, role, serviceId }) => ({
      id,
      address,
      ...(role && { role }),
      ...(serviceId && { service_id: serviceId }),
    })),
  });

export const networkOrder = productOrder(
  NetworkOrderInput,
  ({ networkType, topology, locations, redundancy, ...terms }) => {
    const configuration = settingsOf({ topology, redundancy: redundancy ?? undefined, locations });
    return { ...terms, catalog: { serviceType: networkType }, configuration, location: null };
  },
  { serviceType: 'networkType' },
);
