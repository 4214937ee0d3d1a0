import { ArrayMaxSize, IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { Subcategory } from './category.values.ts';

const MAX_SUBCATEGORIES = 50;

@InputType({ description: 'Fields to change. Omit a field to keep its value; null restores the default of the platform.' })
@Rule<TicketCategoryUpdateInput>(({ subcategories }) => {
  const ids = (subcategories ?? []).map((subcategory) => subcategory?.id);
  return ids.flatMap((id, index) =>
    id !== undefined && ids.indexOf(id) < index ? [{ field: `subcategories.${index}.id`, value: id, reason: 'must be unique' }] : [],
  );
})
export class TicketCategoryUpdateInput {
  @Field(() => String, { nullable: true, description: 'Display name, 1 to 100 characters. Null restores the default of the platform.' })
  @IsOptional()
  @Characters(1, 100)
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Description of the tickets that belong to the category, 1 to 500 characters. Null restores the default of the platform.',
  })
  @IsOptional()
  @Characters(1, 500)
  description?: string | null;

  @Field(() => ID, { nullable: true, description: 'SLA policy for new tickets (`sla_…`). Null applies the service level of the plan.' })
  @IsOptional()
  @Matches(/^sla_\w+$/, { message: 'must be the id of an SLA policy (sla_…)' })
  slaPolicyId?: string | null;

  @Field(() => [Subcategory], {
    nullable: true,
    description: `All subcategories, at most ${MAX_SUBCATEGORIES}. Replaces the list. Null restores the default of the platform.`,
  })
  @IsOptional()
  @ArrayMaxSize(MAX_SUBCATEGORIES, { message: `may have at most ${MAX_SUBCATEGORIES} entries` })
  @ValidateNested({ each: true })
  subcategories?: Subcategory[] | null;
}
