import { IsOptional, Matches } from 'class-validator';
import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { Characters } from '../../../../kernel/graphql/characters.ts';

export const MIN_LOCATIONS = 2;
export const MAX_LOCATIONS = 200;
export const SITE_ID = /^[\w-]{1,64}$/;

export enum NetworkType {
  MPLS = 'mpls',
  SD_WAN = 'sd_wan',
}
registerEnumType(NetworkType, {
  name: 'NetworkType',
  description: 'Technology of a network.',
  valuesConfig: {
    MPLS: { description: 'A network with guaranteed classes of service.' },
    SD_WAN: { description: 'A network over any kind of internet access. It selects the path of the traffic for each application.' },
  },
});

export enum NetworkTopology {
  HUB_AND_SPOKE = 'hub_and_spoke',
  FULL_MESH = 'full_mesh',
  POINT_TO_POINT = 'point_to_point',
  RING = 'ring',
}
registerEnumType(NetworkTopology, {
  name: 'NetworkTopology',
  description: 'How the sites of a network are connected.',
  valuesConfig: {
    HUB_AND_SPOKE: { description: 'Each spoke is connected to the hubs. Requires at least one hub and one spoke.' },
    FULL_MESH: { description: 'Each site is connected to each other site.' },
    POINT_TO_POINT: { description: 'Two sites are connected.' },
    RING: { description: 'Each site is connected to two other sites. Requires at least three sites.' },
  },
});

export enum SiteRole {
  HUB = 'hub',
  SPOKE = 'spoke',
}
registerEnumType(SiteRole, {
  name: 'SiteRole',
  description: 'Role of a site in a network.',
  valuesConfig: { HUB: { description: 'Connects the spokes.' }, SPOKE: { description: 'Connected to the other sites by the hubs.' } },
});

@ObjectType('NetworkLocation', { description: 'A site of a network.' })
@InputType('NetworkLocationInput', { description: 'A site of a network.' })
export class NetworkLocation {
  @Field(() => ID, { description: 'Your id of the site, unique within the network: 1 to 64 letters, digits, hyphens and underscores.' })
  @Matches(SITE_ID, { message: 'must have 1 to 64 letters, digits, hyphens and underscores' })
  id!: string;

  @Field(() => String, { description: 'Street address, 1 to 500 characters.' })
  @Characters(1, 500)
  address!: string;

  @Field(() => SiteRole, { nullable: true, description: 'Role of the site. Required for hub_and_spoke.' })
  role?: SiteRole | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Service that connects the site (`svc_…`), such as an internet line of the same account. Null if the provider connects it.',
  })
  @IsOptional()
  @Matches(/^svc_\w+$/, { message: 'must be a service id (svc_…)' })
  serviceId?: string | null;
}
