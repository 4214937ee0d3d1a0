import { registerEnumType } from 'type-graphql';

/** A part of the platform that is measured. */
export enum ComponentName {
  API = 'api',
  GRAPH = 'graph',
  WEBHOOKS = 'webhooks',
  JOBS = 'jobs',
  DATABASE = 'database',
}
registerEnumType(ComponentName, {
  name: 'ComponentName',
  description: 'A component of the platform.',
  valuesConfig: {
    API: { description: 'The server that receives the requests of clients.' },
    GRAPH: { description: 'The GraphQL graph of all domains, which executes every request.' },
    WEBHOOKS: { description: 'The way of events from their recording to the first attempt to deliver them to a webhook.' },
    JOBS: { description: 'Work in the background, such as provisioning services and creating reports.' },
    DATABASE: { description: 'The databases of all domains.' },
  },
});

export enum ComponentStatus {
  OPERATIONAL = 'operational',
  DEGRADED = 'degraded',
  DOWN = 'down',
  UNKNOWN = 'unknown',
}
registerEnumType(ComponentStatus, {
  name: 'ComponentStatus',
  description: 'Status of a component of the platform.',
  valuesConfig: {
    OPERATIONAL: { description: 'The component works.' },
    DEGRADED: { description: 'The component is slow, or a part of it does not work.' },
    DOWN: { description: 'The component does not work.' },
    UNKNOWN: { description: 'The component was not measured during the last minute.' },
  },
});
