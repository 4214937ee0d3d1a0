import { Entity, Enum, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { boundsOf, counterclockwise, type Ring } from './ring.ts';
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

  /**
   * The approximate outline of the area, in counterclockwise order. It is for maps only: the ZIP code decides about
   * orders. Null if the area is not on the map.
   */
  @Property({ type: 'json', nullable: true })
  ring: Ring | null = null;

  /** Coordinates of the box around the outline, in degrees. */
  @Property({ type: 'double', nullable: true })
  west: number | null = null;

  @Property({ type: 'double', nullable: true })
  south: number | null = null;

  @Property({ type: 'double', nullable: true })
  east: number | null = null;

  @Property({ type: 'double', nullable: true })
  north: number | null = null;

  @Property({ type: 'integer', default: 1 })
  revision = 1;

  /**
   * Sets the outline and the box around it, or removes both if `ring` is null. The positions may be in clockwise or counterclockwise order.
   */
  outline(ring: Ring | null): void {
    const none = { west: null, south: null, east: null, north: null };
    Object.assign(this, { ring: ring && counterclockwise(ring) }, ring ? boundsOf(ring) : none);
  }
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
