import { Directive, Field, ID, ObjectType } from 'type-graphql';

/** Entities of other subgraphs that this subgraph extends or refers to. */
@ObjectType('Service')
@Directive('@key(fields: "id")')
export class Service {
  @Field(() => ID)
  id!: string;
}

@ObjectType('Ticket')
@Directive('@key(fields: "id")')
export class Ticket {
  @Field(() => ID)
  id!: string;
}

/** An analysis, to which each domain adds its figures. Each domain has its own class, because the fields of a class are those of all resolvers. */
@ObjectType('AnalyticsScope', { description: 'Figures about services in a period. Each part of the platform adds its own.' })
@Directive('@key(fields: "id")')
export class AnalyticsScope {
  @Field(() => ID, { description: 'Id of the period, account and services of the figures.' })
  id!: string;
}
