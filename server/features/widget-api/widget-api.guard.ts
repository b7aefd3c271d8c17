/**
 * Authenticates and rate-limits the widget's API: by visitor and by address, both counted for the channel's account.
 */
import { visitorTokenPrefix } from '../../../contract/widget/widget-protocol.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { accountSuspended, rateLimited, unauthorized } from '../../platform/http/errors.ts';
import type { Metrics } from '../../platform/http/metrics.ts';
import type { RateLimits } from '../../platform/limits/rate-limit.ts';
import { widgetMetrics } from './widget-api.metrics.ts';
import { findWebWidget, type Widget } from './widget-api.settings.sql.ts';
import { stillHolds, type Visitor, type VisitorTokens } from './widget-api.visitor.ts';

export type RefusalReason =
  | 'api'
  | 'token'
  | 'origin'
  | 'identity'
  | 'rate'
  | 'flood'
  | 'frame'
  | 'connections'
  | 'full';

/** Per minute. Many visitors may share an address: an office, a mobile network. */
const perMinute = {
  start: { visitor: 0, address: 60 },
  read: { visitor: 120, address: 1_200 },
  act: { visitor: 120, address: 1_200 },
  send: { visitor: 30, address: 240 },
  upload: { visitor: 20, address: 60 },
  connect: { visitor: 60, address: 600 },
} as const;
export type Doing = keyof typeof perMinute;

export interface Admitted {
  visitor: Visitor;
  widget: Widget;
}

export interface VisitorGuard {
  /** Null: the token is invalid or has expired. */
  recognise(token: string): Promise<Admitted | null>;
  /** Throws unless the header has a valid token. */
  admit(authorization: string | undefined, doing: Doing, address: string): Promise<Admitted>;
  /** Throws if there were too many. */
  count(accountId: string, doing: Doing, address: string, sessionId: string | null): Promise<void>;
  refused(reason: RefusalReason): void;
  /** A request outside the widget's API, which a visitor's token does not open. */
  refusedElsewhere(authorization: string | undefined): void;
}

export interface VisitorGuardDeps {
  db: Db;
  clock: Clock;
  metrics: Metrics;
  rateLimits: RateLimits;
  tokens: VisitorTokens;
}

export function createVisitorGuard({
  db,
  clock,
  metrics,
  rateLimits,
  tokens,
}: VisitorGuardDeps): VisitorGuard {
  const counted = widgetMetrics(metrics);
  const refused = (reason: RefusalReason) => counted.refused.inc({ reason });

  const recognise = async (token: string): Promise<Admitted | null> => {
    const visitor = tokens.read(token, clock.now());
    const widget = visitor && (await findWebWidget(db, visitor.accountId, visitor.channelId));
    return visitor && widget && stillHolds(visitor, widget) ? { visitor, widget } : null;
  };

  const count: VisitorGuard['count'] = async (accountId, doing, address, sessionId) => {
    const allowed = perMinute[doing];
    const buckets: [string, number][] = [[`widget-${doing}:${address}`, allowed.address]];
    if (sessionId !== null) buckets.push([`widget-${doing}:${sessionId}`, allowed.visitor]);
    for (const [bucket, limit] of buckets) {
      const verdict = await rateLimits.admit(accountId, bucket, [{ limit, seconds: 60 }]);
      if (verdict.admitted) continue;
      refused('rate');
      throw rateLimited(429, verdict.retryAfterSeconds);
    }
  };

  return {
    refused,
    refusedElsewhere(authorization) {
      if (authorization?.startsWith(`Bearer ${visitorTokenPrefix}`)) refused('api');
    },
    recognise,
    count,
    async admit(authorization, doing, address) {
      const bearer = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
      const admitted = bearer?.startsWith(visitorTokenPrefix) ? await recognise(bearer) : null;
      if (!admitted) {
        refused('token');
        throw unauthorized('missing or invalid visitor token');
      }
      if (admitted.widget.isSuspended) throw accountSuspended();
      await count(admitted.visitor.accountId, doing, address, admitted.visitor.sessionId);
      return admitted;
    },
  };
}
