import { IsOptional, Matches, ValidateBy, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Characters } from '../../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../../kernel/graphql/json-schema.ts';
import { NotNull } from '../../../../kernel/graphql/not-null.ts';
import { Visibility } from '../../visibility.ts';
import { JiraPriorityMapping } from './jira-integration.entity.ts';

const URL_LENGTH = 2048;

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
/**
 * Validates a user name for basic authentication. The name must contain no colon, because a colon separates the name
 * from the password.
 */
const Username = (): PropertyDecorator => Matches(/^[^:\p{Cc}]{1,254}$/u, { message: 'must have 1 to 254 characters, without a colon' });
const Token = (): PropertyDecorator => Matches(/^[\x21-\x7e]{1,1024}$/, { message: 'must have 1 to 1024 printable ASCII characters' });
const ProjectKey = (): PropertyDecorator =>
  Matches(/^[A-Z][A-Z0-9_]{0,254}$/, { message: 'must be a project key such as SUP: upper case letters, digits and underscores' });

@InputType({ description: 'Settings of the synchronization with Jira.' })
export class JiraSyncSettingsInput {
  @Field(() => Boolean, { nullable: true, description: 'Whether every new ticket becomes an issue. Default: true.' })
  createJiraIssues?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether comments for the customer are copied to the issue, and comments of the issue to the ticket. Default: true.',
  })
  syncComments?: boolean | null;

  @Field(() => JiraPriorityMapping, {
    nullable: true,
    description: 'Names of the priorities in Jira. Default: Highest, High, Medium, Low.',
  })
  @IsOptional()
  @ValidateNested()
  priorityMapping?: JiraPriorityMapping | null;

  @Field(() => Visibility, {
    nullable: true,
    description:
      'Who can read comments from Jira on the ticket. Comments that are restricted in Jira are always internal. Default: internal.',
  })
  jiraCommentVisibility?: Visibility | null;
}

@InputType({ description: 'Jira project to connect.' })
export class JiraIntegrationCreateInput {
  @Field(() => String, { description: 'Address of the Jira site, such as https://acme.atlassian.net.' })
  @Url()
  jiraUrl!: string;

  @Field(() => String, { description: 'E-mail address of the Jira account to use.' })
  @Username()
  username!: string;

  @Field(() => String, { description: 'API token of that account. It is stored encrypted and never shown again.' })
  @Token()
  apiToken!: string;

  @Field(() => String, { description: 'Key of the project in which issues are created, such as SUP.' })
  @ProjectKey()
  projectKey!: string;

  @Field(() => JiraSyncSettingsInput, {
    nullable: true,
    description: 'Settings of the synchronization. Default: everything is synchronized.',
  })
  @IsOptional()
  @ValidateNested()
  syncSettings?: JiraSyncSettingsInput | null;

  @Field(() => Boolean, { defaultValue: true, description: 'Whether events are sent. Default: true.' })
  active: boolean = true;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
export class JiraIntegrationUpdateInput {
  @Field(() => String, { nullable: true, description: 'Address of the Jira site. Another host also needs a new `apiToken`.' })
  @NotNull()
  @Url()
  jiraUrl?: string;

  @Field(() => String, { nullable: true, description: 'E-mail address of the Jira account to use.' })
  @NotNull()
  @Username()
  username?: string;

  @Field(() => String, { nullable: true, description: 'API token of that account. It is stored encrypted and never shown again.' })
  @NotNull()
  @Token()
  apiToken?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Key of the project in which issues are created, such as SUP. Existing issues stay where they are.',
  })
  @NotNull()
  @ProjectKey()
  projectKey?: string;

  @Field(() => JiraSyncSettingsInput, { nullable: true, description: 'Settings to change. Omit a setting to keep its value.' })
  @NotNull()
  @ValidateNested()
  syncSettings?: JiraSyncSettingsInput;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'False stops sending. True also resumes an integration that the platform disabled, and sends the waiting events that are not too old.',
  })
  @NotNull()
  active?: boolean;
}
