import { Entity, Enum, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { AccessTechnology } from './technology.ts';

/**
 * An area of the network, identified by a ZIP code prefix. If several prefixes match a location, the area with the
 * longest prefix applies.
 */
@Entity({ tableName: 'coverage_area' })
export class CoverageArea {
  @PrimaryKey({ type: 'text' })
  zipPrefix!: string;

  @Property({ type: 'text' })
  city!: string;

  @Property({ type: 'text' })
  state!: string;
}

/**
 * A technology that is available in an area, and its maximum bandwidth. In an area without any technology, no service
 * is available.
 */
@Entity({ tableName: 'coverage_technology' })
export class CoverageTechnology {
  @PrimaryKey({ type: 'text' })
  zipPrefix!: string;

  @Enum({ items: () => AccessTechnology, type: 'text', primary: true })
  technology!: AccessTechnology;

  @Property({ type: 'integer' })
  maxMbps!: number;
}
