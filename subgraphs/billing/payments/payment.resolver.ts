import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import type { BillingContext } from '../context.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { Account } from '../references.ts';
import { Payment } from './payment.entity.ts';
import { PaymentFilter, PaymentInput, RefundInput } from './payment.inputs.ts';
import { PaymentMethod } from './payment-method.entity.ts';
import { Refund } from './refund.entity.ts';

const PaymentPage = pageOf('Payment', Payment);

@Resolver(() => Payment)
export class PaymentResolver {
  @Query(() => Payment, { nullable: true, description: 'Get a payment by id. Null if it does not exist.' })
  @Requires('billing:read')
  payment(@Arg('id', () => ID) id: string, @Ctx() { payments }: BillingContext): Promise<Payment | null> {
    return payments.find(id);
  }

  @Query(() => PaymentPage, { description: 'List payments, newest first.' })
  @Requires('billing:read')
  payments(
    @Arg('filter', () => PaymentFilter, { nullable: true }) filter: PaymentFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { payments }: BillingContext,
  ): Promise<Page<Payment>> {
    return payments.list(filter ?? {}, page ?? {});
  }

  @Mutation(() => Payment, {
    description:
      'Pay an invoice, or a part of it. If the payment processor has not reported the outcome yet, the payment is `PENDING`, and no other payment can pay its amount of the invoice. Later, an event reports the outcome.',
  })
  @Requires('billing:create', { secondFactor: true })
  createPayment(
    @Arg('input', () => PaymentInput, { description: 'Payment to make.' }) input: PaymentInput,
    @Ctx() { payments }: BillingContext,
  ): Promise<Payment> {
    return payments.create(input);
  }

  @Mutation(() => Refund, {
    description:
      'Refund a payment, or a part of it. The refund is `PENDING` if the payment processor has not reported the outcome. A refund does not reopen the invoice.',
  })
  @Requires('billing:write', { secondFactor: true })
  refundPayment(
    @Arg('id', () => ID, { description: 'Id of the payment (`pay_…`).' }) id: string,
    @Arg('input', () => RefundInput, { nullable: true, description: 'Refund to make. Default: the amount that was not refunded yet.' })
    input: RefundInput | undefined,
    @Ctx() { payments }: BillingContext,
  ): Promise<Refund> {
    return payments.refund(id, input ?? {});
  }

  @FieldResolver(() => PaymentMethod, { description: 'Payment method that is charged.' })
  async paymentMethod(@Root() { paymentMethodId }: Payment, @Ctx() { loaders }: BillingContext): Promise<PaymentMethod> {
    return (await loaders.paymentMethods.load(paymentMethodId)) as PaymentMethod;
  }

  @FieldResolver(() => [Refund], { description: 'Refunds of the payment, oldest first.' })
  refunds(@Root() { id }: Payment, @Ctx() { loaders }: BillingContext): Promise<Refund[]> {
    return loaders.refunds.of('paymentId', id, 'createdAt', 'id');
  }

  @FieldResolver(() => Invoice, { nullable: true, description: 'Invoice that is paid.' })
  @Requires('billing:read')
  invoice(@Root() { invoiceId }: Payment, @Ctx() { loaders }: BillingContext): Promise<Invoice | null> {
    return loaders.invoices.load(invoiceId);
  }

  @FieldResolver(() => Account, { nullable: true, description: 'Account that pays. Null if it no longer exists.' })
  account(@Root() { accountId }: Payment): Account {
    return { id: accountId };
  }
}

@Resolver(() => Invoice)
export class InvoicePaymentsResolver {
  @FieldResolver(() => [Payment], { description: 'Newest payments of the invoice, including failed payments.' })
  @Requires('billing:read')
  payments(
    @Root() { id }: Invoice,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: BillingContext,
  ): Promise<Payment[]> {
    return loaders.payments.newest('invoiceId', id, relationLimit(limit));
  }
}
