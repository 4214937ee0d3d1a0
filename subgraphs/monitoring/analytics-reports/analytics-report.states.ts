import { registerEnumType } from 'type-graphql';

/** Topics of reports. */
export enum AnalyticsReportType {
  PERFORMANCE = 'performance',
  USAGE = 'usage',
  COSTS = 'costs',
  INCIDENTS = 'incidents',
  SLA = 'sla',
  CUSTOM = 'custom',
}
registerEnumType(AnalyticsReportType, {
  name: 'AnalyticsReportType',
  description: 'Topic of a report. It selects the figures.',
  valuesConfig: {
    PERFORMANCE: { description: 'Availability, latency, jitter, packet loss and incidents.' },
    USAGE: { description: 'Metered usage.' },
    COSTS: { description: 'Costs. Also requires `billing:read`.' },
    INCIDENTS: { description: 'Numbers and durations of incidents.' },
    SLA: { description: 'Availability, incidents and tickets.' },
    CUSTOM: { description: 'The figures in `metrics`.' },
  },
});

/** Figures of a report. */
export enum AnalyticsReportMetric {
  AVAILABILITY = 'availability',
  LATENCY = 'latency',
  JITTER = 'jitter',
  PACKET_LOSS = 'packet_loss',
  INCIDENTS = 'incidents',
  USAGE = 'usage',
  COSTS = 'costs',
  TICKETS = 'tickets',
}
registerEnumType(AnalyticsReportMetric, {
  name: 'AnalyticsReportMetric',
  description: 'Figures of a report.',
  valuesConfig: {
    AVAILABILITY: { description: 'Availability in percent, the target of the plan, and the seconds in which services were down.' },
    LATENCY: { description: 'Average and percentiles of the round-trip time in milliseconds.' },
    JITTER: { description: 'Average jitter in milliseconds.' },
    PACKET_LOSS: { description: 'Average packet loss in percent.' },
    INCIDENTS: { description: 'Incidents that began, and how long they took.' },
    USAGE: { description: 'Used quantities.' },
    COSTS: { description: 'Costs. They belong to months. Also requires `billing:read`.' },
    TICKETS: { description: 'Tickets that were created, and their results.' },
  },
});

/** How the rows of a report are grouped. */
export enum AnalyticsReportGrouping {
  SERVICE = 'service',
  TYPE = 'type',
  DAY = 'day',
  WEEK = 'week',
  MONTH = 'month',
}
registerEnumType(AnalyticsReportGrouping, {
  name: 'AnalyticsReportGrouping',
  description: 'How the rows of a report are grouped.',
  valuesConfig: {
    SERVICE: { description: 'One service.' },
    TYPE: { description: 'All services of one type, such as `internet`.' },
    DAY: { description: 'One day.' },
    WEEK: { description: 'One ISO 8601 week.' },
    MONTH: { description: 'One month of the calendar.' },
  },
});

const { AVAILABILITY, LATENCY, JITTER, PACKET_LOSS, INCIDENTS, USAGE, COSTS, TICKETS } = AnalyticsReportMetric;

/** The figures of each topic. */
export const METRICS_OF: Readonly<Record<AnalyticsReportType, readonly AnalyticsReportMetric[]>> = {
  [AnalyticsReportType.PERFORMANCE]: [AVAILABILITY, LATENCY, JITTER, PACKET_LOSS, INCIDENTS],
  [AnalyticsReportType.USAGE]: [USAGE],
  [AnalyticsReportType.COSTS]: [COSTS],
  [AnalyticsReportType.INCIDENTS]: [INCIDENTS],
  [AnalyticsReportType.SLA]: [AVAILABILITY, INCIDENTS, TICKETS],
  [AnalyticsReportType.CUSTOM]: [],
};
