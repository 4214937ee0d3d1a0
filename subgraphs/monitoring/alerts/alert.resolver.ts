import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ReadsFields } from '../../../kernel/graphql/selected-fields.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import type { MonitoringContext } from '../context.ts';
import { Service } from '../references.ts';
import { Alert } from './alert.entity.ts';
import { AlertCreateInput, AlertFilter, AlertSilenceInput, AlertUpdateInput } from './alert.inputs.ts';
import { AlertInstance } from './alert-instance.entity.ts';
import { AlertTransition } from './alert-transition.entity.ts';

const AlertPage = pageOf('Alert', Alert);
const ALERT_ID = 'Id of the alert (`alrt_…`).';

/** Checks that a caller who lets an alert open tickets may create tickets. */
const requireToOpenTickets = ({ input }: { input: AlertCreateInput | AlertUpdateInput }, { principal }: MonitoringContext): void => {
  if (input.openTicket) principal.require('support:create');
};

@Resolver(() => Alert)
export class AlertResolver {
  @Query(() => Alert, { nullable: true, description: 'Get an alert by id. Null if it does not exist.' })
  @Requires('monitoring:read')
  alert(@Arg('id', () => ID) id: string, @Ctx() { loaders }: MonitoringContext): Promise<Alert | null> {
    return loaders.alerts.load(id);
  }

  @Query(() => AlertPage, { description: 'List alerts, newest first.' })
  @Requires('monitoring:read')
  alerts(
    @Arg('filter', () => AlertFilter, { nullable: true }) filter: AlertFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { alerts }: MonitoringContext,
  ): Promise<Page<Alert>> {
    return alerts.list(filter ?? {}, page ?? {});
  }

  @Mutation(() => Alert, {
    description:
      'Create an alert. It is evaluated immediately, and then at its interval. Fails with INVALID_STATE if the plan does not allow more alerts.',
  })
  @Requires('monitoring:write', { also: requireToOpenTickets })
  createAlert(@Arg('input', () => AlertCreateInput) input: AlertCreateInput, @Ctx() { alerts }: MonitoringContext): Promise<Alert> {
    return alerts.create(input);
  }

  @Mutation(() => Alert, {
    description: 'Change an alert. Omit a field to keep its value. The alert is evaluated immediately, and keeps its state until then.',
  })
  @Requires('monitoring:write', { also: requireToOpenTickets })
  updateAlert(
    @Arg('id', () => ID, { description: ALERT_ID }) id: string,
    @Arg('input', () => AlertUpdateInput) input: AlertUpdateInput,
    @ExpectedRevision() expectedRevision: number | null | undefined,
    @Ctx() { alerts }: MonitoringContext,
  ): Promise<Alert> {
    return alerts.update(id, input, expectedRevision);
  }

  @Mutation(() => Alert, {
    description:
      'Delete an alert and its history. Returns the deleted record. If people were notified that it fires, the event `alert.resolved` is sent.',
  })
  @Requires('monitoring:write')
  deleteAlert(@Arg('id', () => ID, { description: ALERT_ID }) id: string, @Ctx() { alerts }: MonitoringContext): Promise<Alert> {
    return alerts.delete(id);
  }

  @Mutation(() => Alert, {
    description:
      'Silence an alert: nobody is notified that it fires. It is still evaluated. If it fires when the silence ends, people are notified at that time.',
  })
  @Requires('monitoring:write')
  silenceAlert(
    @Arg('id', () => ID, { description: ALERT_ID }) id: string,
    @Arg('input', () => AlertSilenceInput, { nullable: true, description: 'How long the alert is silent.' }) input:
      | AlertSilenceInput
      | undefined,
    @Ctx() { alerts }: MonitoringContext,
  ): Promise<Alert> {
    return alerts.silence(id, input ?? {});
  }

  @Mutation(() => Alert, {
    description:
      'Acknowledge that an alert fires. People are not notified again of its present instances. If nothing fires, nothing changes.',
  })
  @Requires('monitoring:write')
  acknowledgeAlert(@Arg('id', () => ID, { description: ALERT_ID }) id: string, @Ctx() { alerts }: MonitoringContext): Promise<Alert> {
    return alerts.acknowledge(id);
  }

  @Mutation(() => Alert, {
    description:
      'Send a test notification to the e-mail addresses of an alert, at most once in a minute. Fails with INVALID_STATE if it has no addresses, or was just tested. To test a webhook, use `testWebhook`.',
  })
  @Requires('monitoring:write')
  testAlert(@Arg('id', () => ID, { description: ALERT_ID }) id: string, @Ctx() { alerts }: MonitoringContext): Promise<Alert> {
    return alerts.test(id);
  }

  @FieldResolver(() => [AlertInstance], { description: 'Instances whose state is not `OK`, newest first.' })
  @ReadsFields('id')
  instances(
    @Root() { id }: Pick<Alert, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: MonitoringContext,
  ): Promise<AlertInstance[]> {
    return loaders.alertInstances.newest('alertId', id, relationLimit(limit));
  }

  @FieldResolver(() => [AlertTransition], { description: 'History of the alert: changes of the states of its instances, newest first.' })
  @ReadsFields('id')
  transitions(
    @Root() { id }: Pick<Alert, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: MonitoringContext,
  ): Promise<AlertTransition[]> {
    return loaders.alertTransitions.newest('alertId', id, relationLimit(limit));
  }

  @FieldResolver(() => Service, { nullable: true, description: 'Service whose series are watched. Null if the alert has no service.' })
  @ReadsFields('serviceId')
  service(@Root() { serviceId }: Pick<Alert, 'serviceId'>): Service | null {
    return serviceId === null ? null : { id: serviceId };
  }
}

@Resolver(() => AlertInstance)
export class AlertInstanceResolver {
  @FieldResolver(() => Service, {
    nullable: true,
    description: 'Service of the series. Null if the group contains series of several services.',
  })
  service(@Root() { serviceId }: AlertInstance): Service | null {
    return serviceId === null ? null : { id: serviceId };
  }
}

@Resolver(() => Service)
export class ServiceAlertsResolver {
  @FieldResolver(() => [Alert], { description: 'Newest alerts of the service.' })
  @Requires('monitoring:read')
  alerts(
    @Root() { id }: Service,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: MonitoringContext,
  ): Promise<Alert[]> {
    return loaders.alerts.newest('serviceId', id, relationLimit(limit));
  }
}
