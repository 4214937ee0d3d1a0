import { Entity, Enum, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { AccessTechnology } from './technology.ts';

/** An area of the network by the beginning of its ZIP codes; of several that fit a location the longest counts. */
@Entity({ tableName: 'coverage_area' })
export class CoverageArea {
  @PrimaryKey({ type: 'text' })
  zipPrefix!: string;

  @Property({ type: 'text' })
  city!: string;

  @Property({ type: 'text' })
  state!: string;
}

/** A technology that reaches an area, and how much it carries there. An area without any is known and not served. */
@Entity({ tableName: 'coverage_technology' })
export class CoverageTechnology {
  @PrimaryKey({ type: 'text' })
  zipPrefix!: string;

  @Enum({ items: () => AccessTechnology, type: 'text', primary: true })
  technology!: AccessTechnology;

  @Property({ type: 'integer' })
  maxMbps!: number;
}
