import type { Orm, Rows } from '../../../kernel/database/database.ts';
import { RowMapper } from '../../../kernel/records/row-mapper.ts';
import type { Feed, Range, Selection } from '../stream/feed.ts';
import type { Follower } from '../stream/follower.ts';
import { Delivery, type DeliveryStatus } from './delivery.entity.ts';

/** PostgreSQL NOTIFY channel that announces recorded attempts. */
export const DELIVERY_CHANNEL = 'delivery';

export type DeliveryFollower = Follower<Delivery, DeliverySelection>;

/** Filter of a subscriber. It selects deliveries of one organization. */
export class DeliverySelection implements Selection<Delivery> {
  readonly webhookId: string | undefined;
  readonly status: readonly DeliveryStatus[] | undefined;

  constructor(
    readonly organizationId: string,
    webhookId: string | null | undefined,
    status: readonly DeliveryStatus[] | null | undefined,
  ) {
    this.webhookId = webhookId ?? undefined;
    this.status = status ?? undefined;
  }

  covers({ webhookId, status }: Delivery): boolean {
    return (this.webhookId === undefined || webhookId === this.webhookId) && (this.status?.includes(status) ?? true);
  }
}

/**
 * Feed of the deliveries of all organizations, in the order of their last attempts. The position of a delivery in the
 * feed is its `revision`.
 */
export class DeliveryFeed implements Feed<Delivery, DeliverySelection> {
  readonly #map: RowMapper<Delivery>;
  readonly #table: string;

  constructor(
    orm: Orm,
    private readonly rows: Rows,
  ) {
    this.#map = new RowMapper(orm.getMetadata().get<Delivery>(Delivery), orm.em.getPlatform());
    this.#table = `"${orm.config.getAll().schema}"."delivery"`;
  }

  async head(): Promise<number> {
    const [row] = await this.rows.query<{ head: string | number | null }>(`select max("revision") as head from ${this.#table}`, []);
    return Number(row?.head ?? 0);
  }

  after(position: number, limit: number): Promise<Delivery[]> {
    return this.#records('"revision" > $1 order by "revision" limit $2', [position, limit]);
  }

  newer(position: string): string {
    return `select 1 from ${this.#table} where "revision" > ${position} order by "revision" limit 1`;
  }

  range({ organizationId, webhookId, status }: DeliverySelection, { after, upTo, limit }: Range): Promise<Delivery[]> {
    const values: unknown[] = [organizationId, after, upTo, limit];
    const narrowed = [
      ...(webhookId === undefined ? [] : [` and "webhook_id" = $${values.push(webhookId)}`]),
      ...(status === undefined ? [] : [` and "status" = any($${values.push(status)})`]),
    ];
    return this.#records(
      `"organization_id" = $1 and "revision" > $2 and "revision" <= $3${narrowed.join('')} order by "revision" limit $4`,
      values,
    );
  }

  positionOf({ revision }: Delivery): number {
    return revision ?? 0;
  }

  async #records(condition: string, values: readonly unknown[]): Promise<Delivery[]> {
    const rows = await this.rows.tuples(`select ${this.#map.columns('d')} from ${this.#table} d where ${condition}`, values);
    return rows.map((row) => this.#map.read(row));
  }
}
