import { ArrayMaxSize, IsOptional, Matches, MaxLength } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { MaxCharacters, Name } from '../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';

const MAX_LINES = 6;
const MAX_LINE = 100;
const MAX_FOOTER = 1000;

@InputType({ description: 'New invoice settings. Omit a field to keep its value.' })
export class InvoiceSettingsInput {
  @Field(() => String, {
    nullable: true,
    description: 'Legal name of the seller, at most 200 characters. Null means the name of your organization.',
  })
  @IsOptional()
  @Name(200)
  legalName?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: `Postal address, line by line: at most ${MAX_LINES} lines of at most ${MAX_LINE} characters.`,
  })
  @NotNull()
  @ArrayMaxSize(MAX_LINES, { message: `must have at most ${MAX_LINES} lines` })
  @AddressLines()
  address?: string[];

  @Field(() => String, { nullable: true, description: 'VAT number or another tax number, at most 50 characters. Null removes it.' })
  @IsOptional()
  @Name(50)
  taxId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `Text at the end of each invoice, such as how to pay, at most ${MAX_FOOTER} characters. Null removes it.`,
  })
  @IsOptional()
  @MaxCharacters(MAX_FOOTER)
  footer?: string | null;
}

function AddressLines(): PropertyDecorator {
  const message = `must have lines of 1 to ${MAX_LINE} characters`;
  return (target, key) => {
    Matches(/\S/, { each: true, message })(target, key);
    MaxLength(MAX_LINE, { each: true, message })(target, key);
  };
}
