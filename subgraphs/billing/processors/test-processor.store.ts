import type { Rows } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { Charge, DeclineCode, RefundOrder } from './payment-processor.ts';

const CHARGE = '"billing"."test_processor_charge"';
const REFUND = '"billing"."test_processor_refund"';
const CHARGE_COLUMNS = '"method", "amount"::text, "currency", "decline_code", "settles_at"';

/** A charge that the test processor has received. `declineCode` is null if it succeeds at `settlesAt`. */
export interface StoredCharge {
  method: string;
  amount: Decimal;
  currency: string;
  declineCode: DeclineCode | null;
  settlesAt: Date;
}

/** A refund that the test processor has received. `declineCode` is null if it succeeded. */
export interface StoredRefund {
  chargeId: string;
  amount: Decimal;
  currency: string;
  declineCode: DeclineCode | null;
}

/**
 * Decision of the test processor about a new charge. With `onlyOnce`, the test processor declines only the first charge of the account and
 * method.
 */
export interface ChargeDecision {
  declineCode: DeclineCode | null;
  onlyOnce: boolean;
  now: Date;
  settlesAt: Date;
  /** Time at which the simulated bank takes the charge back. Null if the bank does not take it back. */
  disputeAt: Date | null;
}

/** Stores the charges and refunds of the test processor in tables, so that they survive a restart. */
export class TestProcessorStore {
  constructor(private readonly rows: Rows) {}

  /** Stores a charge, and returns it. Undefined if a charge with this id is already stored. */
  async addCharge(charge: Charge, { declineCode, onlyOnce, now, settlesAt, disputeAt }: ChargeDecision): Promise<StoredCharge | undefined> {
    const { organizationId, id, accountId, method, amount, currency } = charge;
    const [added] = await this.rows.query<ChargeRow>(
      `insert into ${CHARGE} ("organization_id", "id", "account_id", "method", "amount", "currency", "decline_code", "settles_at", "created_at",
         "dispute_due_at")
       select $1, $2, $3::text, $4::text, $5::numeric, $6, case when $10::boolean and exists (
           select 1 from ${CHARGE} where "organization_id" = $1 and "account_id" = $3 and "method" = $4
         ) then null else $7 end, $8, $9, $11::timestamptz
       on conflict do nothing returning ${CHARGE_COLUMNS}`,
      [organizationId, id, accountId, method, amount.toFixed(), currency, declineCode, settlesAt, now, onlyOnce, disputeAt],
    );
    return added && storedCharge(added);
  }

  async charge(organizationId: string, id: string): Promise<StoredCharge | undefined> {
    const [row] = await this.rows.query<ChargeRow>(`select ${CHARGE_COLUMNS} from ${CHARGE} where "organization_id" = $1 and "id" = $2`, [
      organizationId,
      id,
    ]);
    return row && storedCharge(row);
  }

  /**
   * Stores a refund of an existing charge. Does nothing if a refund with this id is already stored. The refund is
   * declined as `not_refundable` if it exceeds the part of the charge that was not refunded. Concurrent refunds are not
   * compared with each other, because the platform reserves the amount of a refund before it calls the processor.
   */
  async addRefund(refund: RefundOrder, chargeId: string, declineCode: DeclineCode | null, now: Date): Promise<void> {
    const { organizationId, id, amount, currency } = refund;
    await this.rows.query(
      `insert into ${REFUND} ("organization_id", "id", "charge_id", "amount", "currency", "decline_code", "created_at")
       select $1, $2, $3::text, $4::numeric, $5, case when $4::numeric > c."amount" - (
           select coalesce(sum("amount"), 0) from ${REFUND} where "organization_id" = $1 and "charge_id" = $3 and "decline_code" is null
         ) then 'not_refundable' else $6 end, $7
       from ${CHARGE} c where c."organization_id" = $1 and c."id" = $3
       on conflict do nothing`,
      [organizationId, id, chargeId, amount.toFixed(), currency, declineCode, now],
    );
  }

  async refund(organizationId: string, id: string): Promise<StoredRefund | undefined> {
    const [row] = await this.rows.query<RefundRow>(
      `select "charge_id", "amount"::text, "currency", "decline_code" from ${REFUND} where "organization_id" = $1 and "id" = $2`,
      [organizationId, id],
    );
    return row && { ...commonOf(row), chargeId: row.charge_id };
  }
}

interface CommonRow {
  amount: string;
  currency: string;
  decline_code: DeclineCode | null;
}

interface ChargeRow extends CommonRow {
  method: string;
  settles_at: Date | string;
}

interface RefundRow extends CommonRow {
  charge_id: string;
}

const storedCharge = (row: ChargeRow): StoredCharge => ({ ...commonOf(row), method: row.method, settlesAt: new Date(row.settles_at) });

const commonOf = ({ amount, currency, decline_code }: CommonRow) => ({ amount: new Decimal(amount), currency, declineCode: decline_code });
