import { join } from 'node:path';
import { PLANS } from '../../kernel/access/plans.ts';
import { WriteProbe } from '../../kernel/database/write-probe.ts';
import type { Domain, IsSuspended, Ports, RunningDomain } from '../../kernel/domain.ts';
import type { EventType } from '../../kernel/events/events.ts';
import { Relay } from '../../kernel/events/relay.ts';
import { type FileStore, FolderFiles } from '../../kernel/files/files.ts';
import { S3Files } from '../../kernel/files/s3.ts';
import { Graph } from '../../kernel/graph.ts';
import type { Logger } from '../../kernel/log/log.ts';
import { OrganizationLog } from '../../kernel/log/organization-log.ts';
import { FolderMailer, type Mailer, SmtpMailer } from '../../kernel/messages/mail.ts';
import { SimulatedSms, type SmsSender } from '../../kernel/messages/sms.ts';
import { TwilioSms } from '../../kernel/messages/sms-twilio.ts';
import { measured } from '../../kernel/metrics/senders.ts';
import { OrganizationData } from '../../kernel/records/organization-data.ts';
import { type Config, ConfigError } from '../../kernel/settings/config.ts';
import type { SubgraphName } from '../../kernel/settings/data.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import type { Retained } from '../../kernel/work/retention.ts';
import type { UsageObserver } from '../../router/edge/limiter.ts';
import { FAIR_USE, keyLimits } from '../../router/edge/plans.ts';
import type { Router } from '../../router/router.ts';
import { selectProcessor } from '../../subgraphs/billing/processors/processors.ts';
import type { IdentityPorts } from '../../subgraphs/identity/core.ts';
import { CountryLocator } from '../../subgraphs/identity/restrictions/country-locator.ts';
import { mountSaml } from '../../subgraphs/identity/saml/saml.routes.ts';
import type { PasswordCost } from '../../subgraphs/identity/users/password.ts';
import type { ComponentChecks } from '../../subgraphs/monitoring/components/component.sweeper.ts';
import { SimulatedProvider } from '../../subgraphs/services/providers/simulated.provider.ts';
import { TmfProvider } from '../../subgraphs/services/providers/tmf.provider.ts';
import type { Assembly, Foundation } from './assembly.ts';
import { PlatformChecks } from './component-checks.ts';
import { DATABASE_TEMPLATE } from './database-template.ts';
import { Databases } from './databases.ts';
import { domains } from './domains.ts';
import { EdgeLimits } from './edge-limits.ts';
import { requestLog } from './request-log.ts';
import { openStores, type Stores } from './stores.ts';
import { type CredentialPorts, openSurfaces } from './surfaces.ts';

export interface AssembleOptions {
  /** Sends mails. Default: a mailer that is built from the settings. */
  mailer?: Mailer;
  /** Sends SMS. Default: an SMS sender that is built from the settings. */
  sms?: SmsSender;
  /** Resolves TXT records. Default: the DNS of the operating system. */
  resolveTxt?: IdentityPorts['resolveTxt'];
  /**
   * Cost of password hashing. Default: a cost that makes guessing passwords slow. Tests set a lower cost, because
   * hashing would otherwise take most of their run time.
   */
  passwordCost?: PasswordCost;
  /** True for tools. In this case, no first administrator is created, and jobs are enqueued but do not run. */
  isOffline?: boolean;
}

/** An assembly that also gives access to its parts, for tests and tools. */
export interface FullAssembly extends Assembly {
  domains: RunningDomains;
  databases: Databases;
  stores: Stores;
  router: Router;
  organizationLog: OrganizationLog;
  /** All tables whose rows are deleted when they reach a maximum age. */
  retained: readonly Retained[];
  eventTypes: readonly EventType[];
}

export type RunningDomains = Awaited<ReturnType<typeof startDomains>>['running'];

export const assemble = (foundation: Foundation): Promise<FullAssembly> => assembleWith(foundation, {});

/**
 * Assembles the platform: databases, domains, the GraphQL router over the domains, the REST and GraphQL APIs, and
 * background work.
 */
export async function assembleWith(
  foundation: Foundation,
  { mailer: givenMailer, sms: givenSms, resolveTxt, passwordCost, isOffline = false }: AssembleOptions,
): Promise<FullAssembly> {
  await using opened = new AsyncDisposableStack();
  const { config, log, metrics } = foundation;
  const organizationLog = new OrganizationLog();
  const databases = opened.adopt(new Databases(config, log, DATABASE_TEMPLATE, metrics, organizationLog), (all) => all.close());
  const graph = new Graph();
  const mailer = opened.adopt(measured('mail', givenMailer ?? mailerOf(config), metrics), (one) => one.close());
  const rateLimits = new EdgeLimits();
  const sms = opened.adopt(measured('sms', givenSms ?? smsOf(config, log), metrics), (one) => one.close());
  const files = opened.adopt(filesOf(config), (one) => one.close());
  const components = new PlatformChecks({ ...foundation, graph, databases });
  const outside = { mailer, sms, files, resolveTxt, passwordCost, rateLimits, organizationLog, componentChecks: components.checks };
  const { running, stores, secrets, eventTypes } = await startDomains(foundation, databases, graph, outside);
  const runningDomains: RunningDomain[] = Object.values(running);
  const subgraphs: Subgraph[] = runningDomains.map(({ subgraph }) => subgraph);
  const { bootstrap, challenge, core } = running.identity;
  const credentials: CredentialPorts = { challenge, onCredentialChange: (listener) => core.feed.onChange(listener) };
  // at the same time, because hashing the administrator's password takes another processor core a quarter of a second
  const [first, surfaces] = await together(
    isOffline ? undefined : bootstrap(config),
    openSurfaces(foundation, subgraphs, { rows: stores.identity.rows, secrets, eventTypes }, credentials),
  );
  graph.bind((request) => surfaces.router.execute(request));
  const relay = relayOf(foundation, stores, running.events);
  components.bind({ stores, relay, events: running.events });
  // the job queues must be started before a request can enqueue a job
  await databases.startJobs({ work: !isOffline });
  const resources = opened.move();
  return {
    domains: running,
    databases,
    stores,
    router: surfaces.router,
    organizationLog,
    retained: [...runningDomains.flatMap((domain) => domain.retained ?? []), ...databases.retained, surfaces.retained],
    eventTypes,
    async authenticate(credentials) {
      const { principal, rateLimit } = await running.identity.authenticator.authenticate(credentials);
      return { principal, keyLimits: rateLimit ? keyLimits(rateLimit) : undefined };
    },
    usage: usageObserverOf(running),
    requestFailed: requestLog(organizationLog),
    isFamiliar: (credentials) => running.identity.authenticator.isFamiliar(credentials),
    rewriteUrl: surfaces.rewriteUrl,
    async mount(app, edge) {
      rateLimits.bind(edge);
      components.bindServer(app);
      await surfaces.mount(app, edge);
      await mountSaml(app, running.identity.core.saml);
      for (const domain of runningDomains) await domain.mount?.(app);
    },
    checks: checksOf(stores),
    firstAdministrator: first,
    async startWork() {
      for (const domain of runningDomains) await domain.start?.();
      await relay.start();
      surfaces.startWork();
    },
    async close() {
      await relay.stop();
      for (const domain of runningDomains.toReversed()) await domain.stop?.();
      await databases.stopJobs();
      await surfaces.close();
      await resources.disposeAsync();
    },
  };
}

const relayOf = ({ clock, log, metrics }: Foundation, stores: Stores, events: RunningDomains['events']): Relay =>
  new Relay(Object.values(stores), events, log, (domain, oldest) =>
    metrics.outboxLag.set({ domain }, oldest ? (clock.now().getTime() - oldest.getTime()) / 1000 : 0),
  );

const usageObserverOf = ({ identity: { core } }: RunningDomains): UsageObserver => ({
  counted: ({ organizationId }, usage, at) => core.usage.count(organizationId, usage, at),
  suspended: (principal) => core.review.noteSuspension(principal),
});

/**
 * Returns one readiness check for each subgraph. The check uses the connections of its subgraph, because each subgraph
 * may have its own database.
 */
function checksOf(stores: Stores): Record<string, () => Promise<void>> {
  const probes = Object.values(stores).map(({ schema, rows }) => [schema, new WriteProbe(rows, schema)] as const);
  return Object.fromEntries(probes.map(([schema, probe]) => [schema, () => probe.check()]));
}

/** Dependencies of the domains outside of the platform's databases. */
type Outside = Pick<IdentityPorts, 'mailer' | 'sms' | 'resolveTxt' | 'passwordCost'> & {
  files: FileStore;
  rateLimits: EdgeLimits;
  organizationLog: OrganizationLog;
  componentChecks: ComponentChecks;
};

async function startDomains(
  { config, secretKeys, origin, clientAuthorities, clock, log, metrics }: Foundation,
  databases: Databases,
  graph: Graph,
  { mailer, sms, files, passwordCost, rateLimits, resolveTxt, organizationLog, componentChecks }: Outside,
) {
  const { stores, secrets } = await openStores(databases, secretKeys, log);
  const { identity, services, billing, support, monitoring, events } = domains;
  const holding = Object.values(domains).map(({ name, organizationData }) => ({ ...stores[name as SubgraphName], organizationData }));
  // the data of the identity domain is deleted last, because the rows of other domains are found by ids in its tables
  const organizationData = new OrganizationData(holding.toReversed());
  const isSuspended: IsSuspended = (organizationId) => reacting.identity.core.organizationStatus.isSuspended(organizationId);
  const isClosed = (organizationId: string): Promise<boolean> => reacting.identity.core.organizationStatus.isClosed(organizationId);
  const shared = { clock, graph, origin, organizationLog, isSuspended, isClosed };
  const portsOf = (name: SubgraphName): Ports => ({ ...stores[name], ...shared, log: log.child({ domain: name }) });
  const reacting = {
    identity: identity.start({
      ...portsOf('identity'),
      sandbox: config.sandbox,
      clientAuthorities,
      secrets,
      authOrigin: config.authUrl ?? origin,
      serviceOrigin: config.serviceOrigin ?? origin,
      allowPrivateUrls: config.allowPrivateUrls,
      mailer,
      rateLimits,
      sms,
      files,
      organizationData,
      locator: await locatorOf(config),
      samlDomainProof: config.samlDomainProof,
      resolveTxt,
      passwordCost,
      auditRetentionDays: config.auditRetentionDays,
      requestsPerMinute: (plan) => Math.min(PLANS[plan].burst, FAIR_USE.burst),
    }),
    services: services.start({ ...portsOf('services'), ...networkOf(config) }),
    billing: billing.start({
      ...portsOf('billing'),
      ...(await billingOf(config, mailer)),
      sms,
      metrics,
      usageAllowance: rateLimits.allowance('usage_events'),
    }),
    support: support.start({ ...portsOf('support'), ...supportOf(config), secrets, mailer, sms, files, metrics }),
    monitoring: monitoring.start({
      ...portsOf('monitoring'),
      ...monitoringOf(config, rateLimits),
      ...{ secrets, mailer, files, metrics, componentChecks },
    }),
  };
  const started: RunningDomain[] = Object.values(reacting);
  const declared: Pick<Domain, 'events' | 'live'>[] = Object.values(domains);
  const eventTypes = declared.flatMap((domain) => domain.events);
  const following = events.start({
    ...portsOf('events'),
    reactions: started.flatMap(({ reactions = [] }) => reactions),
    logConsumers: started.flatMap(({ consumers = [] }) => consumers),
    declaredTypes: eventTypes,
    live: declared.flatMap((domain) => domain.live ?? []),
    secrets,
    allowPrivateUrls: config.allowPrivateUrls,
    planOf: (organizationId) => reacting.identity.core.organizationStatus.planOf(organizationId),
    retentionDays: config.eventRetentionDays,
    metrics,
  });
  return { running: { ...reacting, events: following }, stores, secrets, eventTypes: eventTypes.filter((type) => !type.isInternal) };
}

const monitoringOf = (config: Config, limits: EdgeLimits) => ({
  sandbox: config.sandbox,
  kept: keptOf(config),
  sampleAllowance: limits.allowance('samples'),
  logRetentionDays: config.logRetentionDays,
  logAllowance: limits.allowance('log_entries'),
});

const supportOf = ({ allowPrivateUrls, notificationRetentionDays }: Config) => ({ allowPrivateUrls, notificationRetentionDays });

/** Returns the number of days for which samples and their rollups are kept. */
const keptOf = ({ metricSampleRetentionDays, metricMinuteRetentionDays, metricRetentionDays }: Config) => ({
  samples: metricSampleRetentionDays,
  minutes: metricMinuteRetentionDays,
  quarters: metricRetentionDays,
});

const billingOf = async (config: Config, mailer: Mailer) => ({
  paymentProcessor: await selectProcessor(config),
  sandbox: config.sandbox,
  mailer,
  // without a mail server, nobody would get the invoices
  mailsInvoices: config.smtpUrl !== undefined,
  collection: {
    retryDays: config.autoPayRetryDays,
    reminderDays: config.dunningReminderDays,
    suspensionDays: config.dunningSuspensionDays,
  },
});

const mailerOf = ({ smtpUrl, mailFrom, dataDir }: Config): Mailer =>
  smtpUrl ? new SmtpMailer(smtpUrl, mailFrom) : new FolderMailer(join(dataDir, 'mail'), mailFrom);

/**
 * Returns the SMS sender. If an SMS account is configured, it is a sender for Twilio or for a service with the same API. Otherwise it is a
 * simulation. The check of the settings ensures that the account is complete.
 */
const smsOf = ({ smsProviderUrl: url, smsAccountSid, smsAuthToken, smsFrom: from, dataDir }: Config, log: Logger): SmsSender =>
  smsAccountSid && smsAuthToken && from
    ? new TwilioSms({ url, accountSid: smsAccountSid, authToken: smsAuthToken, from })
    : new SimulatedSms(join(dataDir, 'sms'), log);

/** Returns the file store: an S3 bucket if one is configured, otherwise a subfolder of the data folder. */
const filesOf = ({ filesS3Bucket: bucket, filesS3Region: region, filesS3Endpoint: endpoint, ...config }: Config): FileStore => {
  if (!bucket) return new FolderFiles(join(config.dataDir, 'files'));
  const { filesS3AccessKeyId: accessKeyId, filesS3SecretAccessKey: secretAccessKey } = config;
  return new S3Files({
    bucket,
    region,
    endpoint,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
  });
};

/** Opens the country database. @throws ConfigError if the file cannot be used */
async function locatorOf({ countryHeader: header, geoipDatabase: database }: Config): Promise<CountryLocator> {
  try {
    return await CountryLocator.open({ header, database });
  } catch (error) {
    throw new ConfigError([`GEOIP_DATABASE cannot be read: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** Returns the provider that builds services, with the settings for measuring them. The provider is simulated if none is configured. */
const networkOf = ({ simulatedPace, measureSeconds, sampleRetentionDays, ...config }: Config) => {
  const { connectivityProviderUrl: url, connectivityProviderToken: token } = config;
  const connectivity = url ? new TmfProvider({ url, token }) : new SimulatedProvider({ pace: simulatedPace });
  return { connectivity, measureSeconds, sampleRetentionDays };
};

/**
 * Waits until both promises are settled, even if one of them is rejected. After an error, the caller closes resources
 * that the other promise could still be using.
 */
async function together<A, B>(one: A | Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
