import { registerEnumType } from 'type-graphql';

/** How a location is reached. */
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

/** A technology that reaches a location, and how much it carries there. */
export interface Reach {
  technology: AccessTechnology;
  maxMbps: number;
}
