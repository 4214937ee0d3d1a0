import { IsOptional, Matches, ValidateBy, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Characters } from '../../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../../kernel/graphql/json-schema.ts';
import { NotNull } from '../../../../kernel/graphql/not-null.ts';
import { Visibility } from '../../visibility.ts';
import { JiraPriorityMapping } from './jira-integration.entity.ts';

const URL_LENGTH = 2048;
const URL_ABOUT = 'The site, such as https://acme.atlassian.net.';
const TOKEN_ABOUT = 'An API token of that account. It is kept encrypted and never shown again.';
const PROJECT_ABOUT = 'The key of the project in which issues are made, such as SUP.';

const isPlain = (value: unknown): boolean => {
  const { search, hash } = URL.parse(String(value)) ?? {};
  return !search && !hash;
};
const Url = (): PropertyDecorator => (target, key) => {
  Characters(1, URL_LENGTH)(target, key);
  ValidateBy(
    { name: 'isPlain', validator: { validate: isPlain } },
    {
      message: 'must not have a query or fragment',
      ...jsonSchema({ format: 'uri', pattern: '^https?://[^?#]+$' }),
    },
  )(target, key);
};
/** Validates a user name for basic authentication, which separates name and token at the first colon. */
const Username = (): PropertyDecorator => Matches(/^[^:\p{Cc}]{1,254}$/u, { message: 'must have 1 to 254 characters, without a colon' });
const Token = (): PropertyDecorator => Matches(/^[\x21-\x7e]{1,1024}$/, { message: 'must have 1 to 1024 printable ASCII characters' });
const ProjectKey = (): PropertyDecorator =>
  Matches(/^[A-Z][A-Z0-9_]{0,254}$/, { message: 'must be a project key such as SUP: upper case letters, digits and underscores' });

@InputType()
export class JiraSyncSettingsInput {
  @Field(() => Boolean, { nullable: true, description: 'Whether each new ticket becomes an issue. Default: true.' })
  createJiraIssues?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether comments for the customer go to the issue, and comments of the issue to the ticket. Default: true.',
  })
  syncComments?: boolean | null;

  @Field(() => JiraPriorityMapping, { nullable: true, description: "What is left out is Jira's own: Highest, High, Medium, Low." })
  @IsOptional()
  @ValidateNested()
  priorityMapping?: JiraPriorityMapping | null;

  @Field(() => Visibility, {
    nullable: true,
    description:
      'Who sees on the ticket what was commented in Jira. What Jira itself restricts is internal in any case. Default: internal.',
  })
  jiraCommentVisibility?: Visibility | null;
}

@InputType()
export class JiraIntegrationCreateInput {
  @Field(() => String, { description: URL_ABOUT })
  @Url()
  jiraUrl!: string;

  @Field(() => String, { description: 'The e-mail address of the account that acts in Jira.' })
  @Username()
  username!: string;

  @Field(() => String, { description: TOKEN_ABOUT })
  @Token()
  apiToken!: string;

  @Field(() => String, { description: PROJECT_ABOUT })
  @ProjectKey()
  projectKey!: string;

  @Field(() => JiraSyncSettingsInput, { nullable: true })
  @IsOptional()
  @ValidateNested()
  syncSettings?: JiraSyncSettingsInput | null;

  @Field(() => Boolean, { defaultValue: true })
  active: boolean = true;
}

@InputType({ description: 'What is left out stays as it is.' })
export class JiraIntegrationUpdateInput {
  @Field(() => String, {
    nullable: true,
    description: 'Another host needs `apiToken` with it: a token goes nowhere but where it was given for.',
  })
  @NotNull()
  @Url()
  jiraUrl?: string;

  @Field(() => String, { nullable: true })
  @NotNull()
  @Username()
  username?: string;

  @Field(() => String, { nullable: true, description: TOKEN_ABOUT })
  @NotNull()
  @Token()
  apiToken?: string;

  @Field(() => String, { nullable: true, description: `${PROJECT_ABOUT} Issues that there are stay where they are.` })
  @NotNull()
  @ProjectKey()
  projectKey?: string;

  @Field(() => JiraSyncSettingsInput, { nullable: true, description: 'Its members that are given replace those that there are.' })
  @NotNull()
  @ValidateNested()
  syncSettings?: JiraSyncSettingsInput;

  @Field(() => Boolean, {
    nullable: true,
    description: 'true also resumes one that was disabled: what waits, and is not too old, is sent.',
  })
  @NotNull()
  active?: boolean;
}
