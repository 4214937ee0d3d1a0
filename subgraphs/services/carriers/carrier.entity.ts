import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { type Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { AccessTechnology } from '../coverage/technology.ts';

/** A company whose lines connect locations to the network. The carriers are the same for all organizations. */
@Entity({ tableName: 'carrier' })
export class CarrierRow {
  /** Id of the carrier, such as `atlantic_fiber`. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  @Unique()
  name!: string;

  @Property({ type: 'text' })
  description!: string;

  /** Availability that the carrier guarantees, in percent. */
  @Property({ type: MoneyType })
  uptimePercent!: Decimal;

  @Property({ type: 'integer' })
  repairHours!: number;

  @Property({ type: 'integer' })
  installationDays!: number;

  /** True for the fictional carriers that migrations create. */
  @Property({ type: 'boolean', default: false })
  initial = false;

  @Property({ type: 'integer', default: 1 })
  revision = 1;
}

/** A technology that a carrier offers in a coverage area. The coverage area defines the maximum bandwidth. */
@Entity({ tableName: 'carrier_area' })
@Index({ properties: ['zipPrefix', 'technology'] })
export class CarrierAreaRow {
  @PrimaryKey({ type: 'text' })
  carrierId!: string;

  @PrimaryKey({ type: 'text' })
  zipPrefix!: string;

  @Enum({ items: () => AccessTechnology, type: 'text', primary: true })
  technology!: AccessTechnology;
}
