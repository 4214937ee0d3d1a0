import { pageOf } from '../../../kernel/graphql/page.ts';
import { IntegrationDelivery } from './integration-delivery.entity.ts';

/** The page type of deliveries, used by all kinds of integrations. */
export const IntegrationDeliveryPage = pageOf('IntegrationDelivery', IntegrationDelivery);
