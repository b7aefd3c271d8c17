/** What of the reports is in the address, so that it can be shared. In the first load: the router reads it. */

import type { SlaKind } from '../../../contract/service-levels.ts';

export const presets = ['today', '7d', '30d', '90d', '12m'] as const;
export type Preset = (typeof presets)[number];
export const bucketNames = ['hour', 'day', 'week', 'month'] as const;
/** The contract's list would bring its schemas along. */
export const kindNames = ['first_response', 'next_response', 'resolution'] as const satisfies SlaKind[];

export interface ReportSearch {
  /** 30 days when absent. */
  period?: Preset | 'custom';
  /** Days of a period of one's own, `YYYY-MM-DD`, both of them in it. */
  from?: string;
  to?: string;
  bucket?: (typeof bucketNames)[number];
  /** By its slug. */
  board?: string;
  channel?: string;
  agent?: string;
  compare?: 'off';
  /** All reports when absent. */
  about?: 'ai' | 'service-levels';
  /** Of service levels. */
  policy?: string;
  kind?: (typeof kindNames)[number];
}

const oneOf = <T extends string>(list: readonly T[], value: unknown): T | undefined =>
  list.find((one) => one === value);
const day = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;
const text = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

export function readReportSearch(search: { [name: string]: unknown }): ReportSearch {
  const [from, to] = [day(search.from), day(search.to)];
  const isCustom = search.period === 'custom' && from !== undefined && to !== undefined && from <= to;
  return {
    period: isCustom ? 'custom' : oneOf(presets, search.period),
    from: isCustom ? from : undefined,
    to: isCustom ? to : undefined,
    bucket: oneOf(bucketNames, search.bucket),
    board: text(search.board),
    channel: text(search.channel),
    agent: text(search.agent),
    compare: search.compare === 'off' ? 'off' : undefined,
    about: oneOf(['ai', 'service-levels'] as const, search.about),
    policy: text(search.policy),
    kind: oneOf(kindNames, search.kind),
  };
}
