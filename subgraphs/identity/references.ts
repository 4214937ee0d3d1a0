import { Directive, Field, ID, ObjectType } from 'type-graphql';

/** Entities of other subgraphs that this subgraph extends. */
@ObjectType('AnalyticsScope')
@Directive('@key(fields: "id")')
export class AnalyticsScope {
  @Field(() => ID)
  id!: string;
}
