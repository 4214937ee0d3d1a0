import { registerEnumType } from 'type-graphql';

/** The categories by which costs are reported. */
export enum CostCategory {
  CONNECTIVITY = 'connectivity',
  VOICE = 'voice',
  CLOUD = 'cloud',
  SECURITY = 'security',
  AI = 'ai',
  OTHER = 'other',
}
registerEnumType(CostCategory, {
  name: 'CostCategory',
  description: 'Category by which costs are reported.',
  valuesConfig: {
    CONNECTIVITY: { description: 'Internet access and private networks.' },
    VOICE: { description: 'Phone systems, trunks and contact centers.' },
    CLOUD: { description: 'Virtual machines and storage.' },
    SECURITY: { description: 'Monitoring, protection and response.' },
    AI: { description: 'Platforms for models, and automation that uses them.' },
    OTHER: { description: 'All other categories of the catalog, and lines without a category.' },
  },
});

/** The length of the periods into which costs are divided. */
export enum CostStep {
  MONTH = 'month',
  QUARTER = 'quarter',
  YEAR = 'year',
}
registerEnumType(CostStep, {
  name: 'CostStep',
  description: 'Length of the periods into which costs are divided.',
  valuesConfig: {
    MONTH: { description: 'A month of the calendar.' },
    QUARTER: { description: 'Three months, from January, April, July or October.' },
    YEAR: { description: 'A year of the calendar.' },
  },
});

/** Dimension by which costs are grouped. */
export enum CostDimension {
  ACCOUNT = 'account',
  SERVICE = 'service',
  CATEGORY = 'category',
}
registerEnumType(CostDimension, {
  name: 'CostDimension',
  description: 'How costs are grouped.',
  valuesConfig: {
    ACCOUNT: { description: 'The account that was invoiced.' },
    SERVICE: { description: 'The service that was invoiced.' },
    CATEGORY: { description: 'The category of the service.' },
  },
});
