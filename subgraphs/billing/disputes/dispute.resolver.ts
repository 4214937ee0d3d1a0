import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { BillingContext } from '../context.ts';
import { Payment } from '../payments/payment.entity.ts';
import { Dispute } from './dispute.entity.ts';

@Resolver(() => Payment)
export class PaymentDisputesResolver {
  @FieldResolver(() => [Dispute], { description: 'Disputes of the payment, oldest first.' })
  disputes(@Root() { id }: Payment, @Ctx() { loaders }: BillingContext): Promise<Dispute[]> {
    return loaders.disputes.of('paymentId', id, 'createdAt', 'id');
  }
}
