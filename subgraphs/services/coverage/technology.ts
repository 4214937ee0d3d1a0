import { registerEnumType } from 'type-graphql';

/** Access technology that connects a location to the network. */
export enum AccessTechnology {
  FIBER = 'fiber',
  CABLE = 'cable',
  FIXED_WIRELESS = 'fixed_wireless',
  DSL = 'dsl',
}
registerEnumType(AccessTechnology, {
  name: 'AccessTechnology',
  description: 'Technology of the line to a location.',
  valuesConfig: {
    FIBER: { description: 'Fiber to the building.' },
    CABLE: { description: 'Coaxial cable.' },
    FIXED_WIRELESS: { description: 'Radio link to a fixed antenna.' },
    DSL: { description: 'Telephone line.' },
  },
});

export const TECHNOLOGIES = Object.values(AccessTechnology);

/** A technology that is available at a location, and its maximum bandwidth. */
export interface Reach {
  technology: AccessTechnology;
  maxMbps: number;
}
