import { Args, Resolver, Root, Subscription } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { MonitoringContext } from '../context.ts';
import { liveArgs } from '../live/live-args.ts';
import { MetricSamplesArgs } from './live-sample.inputs.ts';
import { MetricSamples } from './live-sample.types.ts';

@Resolver()
export class LiveSampleResolver {
  @Subscription(() => MetricSamples, {
    subscribe: ({ args, context }: { args: MetricSamplesArgs; context: MonitoringContext }) =>
      context.liveSamples.follow(liveArgs(MetricSamplesArgs, args, context)),
    description:
      'Follow the samples of some series. The first message has those of the last 15 minutes. A sample that arrives after newer ones is sent within about five seconds, unless it is older than 15 minutes or the client was not connected when it arrived: then only charts have it.',
  })
  @Requires('monitoring:read', { scope: 'account' })
  metricSamples(@Root() message: MetricSamples, @Args(() => MetricSamplesArgs) _args: MetricSamplesArgs): MetricSamples {
    return message;
  }
}
