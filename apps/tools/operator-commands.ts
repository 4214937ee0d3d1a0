import type { ExecutionResult } from 'graphql';
import { Principal } from '../../kernel/access/principal.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { newId } from '../../kernel/records/ids.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { ConfigError } from '../../kernel/settings/config.ts';
import type { FullAssembly } from '../platform/assemble.ts';
import { StartError } from '../platform/start-error.ts';

/** Values of the command-line options, by the name of the option. */
type Values = Readonly<Record<string, string | boolean | undefined>>;

/** A command of the operator tool. It executes one GraphQL operation. */
interface Command {
  name: string;
  usage: string;
  does: string;
  /** Names of the GraphQL variables for the positional arguments, in order. */
  takes: readonly string[];
  operation: string;
  /** Kind of record in the error message `There is no …`. Default: `organization`. */
  absent?: string;
  /** Returns the GraphQL variables that the options set. */
  variables?(values: Values): Record<string, unknown>;
}

const FIELDS = 'id name plan status operator underReviewSince suspendedAt closedAt deleteAfter deletedAt createdAt';
const EXPORT_FIELDS = 'id organizationId status error records bytes createdAt completedAt expiresAt downloadUrl';
const changing = (name: string, field: string, does: string): Command => ({
  name,
  usage: `${name} ORGANIZATION`,
  does,
  takes: ['id'],
  operation: `mutation ($id: ID!) { ${field}(id: $id) { ${FIELDS} } }`,
});

const listed = (value: unknown): unknown[] | undefined => (value === undefined ? undefined : String(value).toUpperCase().split(','));

export const COMMANDS: readonly Command[] = [
  {
    name: 'list',
    usage: 'list [--status] [--plan] [--search]',
    does: 'Lists organizations: the newest 200 that match.',
    takes: [],
    operation: `query ($filter: OrganizationFilter) { organizations(filter: $filter, page: { limit: 200 }) { nodes { ${FIELDS} } } }`,
    variables: ({ status, plan, search }) => ({ filter: { status: listed(status), plan: listed(plan), search } }),
  },
  {
    name: 'get',
    usage: 'get ORGANIZATION',
    does: 'Shows an organization.',
    takes: ['id'],
    operation: `query ($id: ID!) { organizationById(id: $id) { ${FIELDS} } }`,
  },
  {
    name: 'create',
    usage: 'create --name --plan --admin-name --admin-email',
    does: '\n                                        Creates an organization and invites its first owner.',
    takes: [],
    operation: `mutation ($input: OrganizationCreateInput!) { createOrganization(input: $input) { ${FIELDS} } }`,
    variables: ({ name, plan, 'admin-name': adminName, 'admin-email': email }) => ({
      input: { name, plan: String(plan ?? '').toUpperCase(), administrator: { name: adminName, email } },
    }),
  },
  {
    name: 'plan',
    usage: 'plan ORGANIZATION PLAN',
    does: 'Changes the plan of an organization: developer, business, enterprise, custom.',
    takes: ['id', 'plan'],
    operation: `mutation ($id: ID!, $plan: Plan!) { changeOrganizationPlan(id: $id, plan: $plan) { ${FIELDS} } }`,
  },
  {
    name: 'suspend',
    usage: 'suspend ORGANIZATION [--reason]',
    does: 'Refuses all credentials of an organization; its services keep running.',
    takes: ['id'],
    operation: `mutation ($id: ID!, $input: OrganizationSuspendInput) { suspendOrganization(id: $id, input: $input) { ${FIELDS} } }`,
    variables: ({ reason }) => ({ input: { reason } }),
  },
  {
    name: 'close',
    usage: 'close ORGANIZATION [--reason]',
    does: 'Closes an organization without live services; its records are deleted after 30 days.',
    takes: ['id'],
    operation: `mutation ($id: ID!, $input: OrganizationCloseInput) { closeOrganization(id: $id, input: $input) { ${FIELDS} } }`,
    variables: ({ reason }) => ({ input: { reason } }),
  },
  changing('resume', 'resumeOrganization', 'Ends a suspension, or reopens a closed organization until its records are deleted.'),
  {
    name: 'export',
    usage: 'export ORGANIZATION',
    does: 'Requests an archive of all records, which the platform writes.',
    takes: ['id'],
    operation: `mutation ($id: ID!) { exportOrganization(id: $id) { ${EXPORT_FIELDS} } }`,
  },
  {
    name: 'export-status',
    usage: 'export-status ORGANIZATION',
    does: 'Shows the status of the newest archive, and where to download it.',
    takes: ['id'],
    operation: `query ($id: ID!) { organizationExport(id: $id) { ${EXPORT_FIELDS} } }`,
    absent: 'export of',
  },
  {
    name: 'withdraw-domain',
    usage: 'withdraw-domain ORGANIZATION DOMAIN',
    does: 'Removes an e-mail domain from a SAML connection of the organization.',
    takes: ['id', 'domain'],
    operation: `mutation ($id: ID!, $domain: String!) { withdrawSamlDomain(id: $id, domain: $domain) { ${FIELDS} } }`,
  },
  changing('clear-review', 'clearOrganizationReview', 'Ends the review of an organization that exceeded the burst limit.'),
];

/** Executes commands as GraphQL operations, on behalf of the organization that operates the platform. */
export class OperatorCommands {
  private constructor(
    private readonly assembly: FullAssembly,
    private readonly operatorId: string,
  ) {}

  /** Creates the commands. @throws StartError if no organization operates the platform yet */
  static async of(assembly: FullAssembly): Promise<OperatorCommands> {
    const operator = await assembly.domains.identity.core.access.operator();
    if (!operator)
      throw new StartError('No organization operates this platform yet. Choose a user who does: npm run operator -- grant EMAIL.');
    return new OperatorCommands(assembly, operator.id);
  }

  /**
   * Runs a command and returns its output.
   * @throws ConfigError if the GraphQL operation returns errors; the message contains them
   */
  async run({ operation, takes, absent = 'organization', variables }: Command, names: readonly string[], values: Values): Promise<string> {
    const named = Object.fromEntries(takes.map((name, index) => [name, name === 'plan' ? names[index]?.toUpperCase() : names[index]]));
    const { data, errors } = await this.#execute(operation, { ...variables?.(values), ...named });
    if (errors?.length) throw new ConfigError(errors.map(({ message }) => message));
    const [result] = Object.values(data ?? {}) as (Shown | { nodes: Shown[] } | null)[];
    if (!result) throw new StartError(`There is no ${absent} ${names[0]}.`);
    if (values.json) return `${JSON.stringify(result, null, 2)}\n`;
    return 'nodes' in result ? (result.nodes as Shown[]).map(inLine).join('') : inFull(result);
  }

  #execute(document: string, variables: Record<string, unknown>): Promise<ExecutionResult> {
    const principal = new Principal({
      kind: 'system',
      id: 'npm run operator',
      organizationId: this.operatorId,
      plan: 'custom',
      grants: ['platform:admin'],
    });
    const context: RequestContext = { requestId: newId('request'), principal, log: createLogger({ level: 'silent' }) };
    return this.assembly.router.execute({ document, variables, context });
  }
}

type Shown = Readonly<Record<string, unknown>>;
const inLine = ({ id, plan, status, name }: Shown): string =>
  `${id}  ${String(plan).toLowerCase().padEnd(10)}  ${String(status).toLowerCase().padEnd(9)}  ${name}\n`;
const inFull = (record: Shown): string =>
  Object.entries(record)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(18)}${value}\n`)
    .join('');
