import type { Domain, RunningDomain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import type { RequestContext } from '../../kernel/request.ts';
import type { RetentionTask } from '../../kernel/work/retention.ts';
import { mountAttachments } from './attachments/attachment.routes.ts';
import type { AttachmentStore } from './attachments/attachment.store.ts';
import { SupportContext } from './context.ts';
import { createCore } from './core.ts';
import { entities } from './entities.ts';
import { ticketOpenedForAlert } from './incidents/alert-ticket.events.ts';
import { alertTicketEnded } from './incidents/alert-ticket-ended.reaction.ts';
import { alertTicketRequested } from './incidents/alert-ticket-requested.reaction.ts';
import { incidentResolved } from './incidents/incident-resolved.reaction.ts';
import { integrationDisabled } from './integrations/integration.events.ts';
import { refreshLibrary } from './knowledge/library.ts';
import { migrations } from './migrations/index.ts';
import { organizationData } from './organization-data.ts';
import type { SupportPorts } from './ports.ts';
import { Account, AnalyticsScope, Service } from './references.ts';
import { resolvers } from './resolvers.ts';
import { sealed } from './sealed.ts';
import { supportEvents } from './support.events.ts';
import { mountTicketPage } from './ticket-page/ticket-page.routes.ts';

export interface RunningSupport extends RunningDomain {
  /** Store of the attachments. After `start`, it also deletes uploaded files that were never attached. */
  attachments: AttachmentStore;
  notificationRetention: RetentionTask;
}

/** The support domain: tickets, agents, knowledge base, integrations and reports (specification 4.7). */
export const support: Domain<SupportPorts, RunningSupport> = {
  name: 'support',
  entities,
  migrations,
  organizationData,
  sealed,
  events: [...supportEvents, integrationDisabled.type, ticketOpenedForAlert.type],
  live: [
    {
      field: 'ticketUpdated',
      subject: 'Ticket',
      eventField: 'ticket',
      events: ['ticket.*', 'ticket.note_added', 'comment.added', 'sla.*'],
      requires: 'support:read',
      description: 'Follow the events of tickets, with their comments and service levels.',
    },
  ],
  start(ports) {
    const core = createCore(ports);
    const contextOf = (request: RequestContext): SupportContext => new SupportContext(core, request);
    const {
      attachments,
      integrations,
      counters,
      accents,
      textAccounts,
      slaSweeper,
      automationSweeper,
      notificationRetention,
      readers,
      reports,
    } = core;
    const working = [attachments, counters, accents, textAccounts, slaSweeper, automationSweeper, notificationRetention, integrations];
    return {
      subgraph: buildSubgraph<SupportContext>({
        name: 'support',
        resolvers,
        orphanedTypes: [Account, AnalyticsScope, Service],
        references: {
          Ticket: { requires: 'support:read', load: ({ id = '' }, { loaders }) => loaders.tickets.load(id) },
        },
        createContext: contextOf,
      }),
      attachments,
      notificationRetention,
      retained: core.retained,
      reactions: [
        incidentResolved({ ...ports, comments: core.comments }),
        alertTicketEnded({ ...ports, comments: core.comments }),
        alertTicketRequested({ ...ports, ticketsOf: (request) => contextOf(request).tickets }),
      ],
      consumers: [integrations.consumer],
      async mount(app) {
        await mountAttachments(app, readers.attachments, ports.files);
        await reports.mount(app);
        await mountTicketPage(app, { ...ports, ...core, contextOf });
        await integrations.mount(app);
      },
      async start() {
        for (const one of working) one.start();
        await refreshLibrary(ports);
      },
      async stop() {
        await Promise.all(working.map((one) => one.stop()));
      },
    };
  },
};
