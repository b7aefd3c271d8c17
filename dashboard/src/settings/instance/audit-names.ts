/** The log keeps ids, for names change. Here they are what things are called now, or were called last as far as the log shown says. */

import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AuditEntry } from '../../../../contract/accounts.ts';
import { accountQuery } from '../../data/account.ts';
import { agentsQuery, channelsQuery, kanbansQuery, teamsQuery, usersQuery } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { fieldLabel } from '../../fields/field-label.ts';
import { labelsQuery } from '../../labels/label-data.ts';
import { tokensQuery, webhooksQuery } from '../settings-data.ts';

interface Named {
  id: string;
  name: string;
}
export type NameOf = (id: string) => string | undefined;

export function useNameOf(entries: readonly AuditEntry[]): NameOf {
  const users = useQuery(usersQuery).data;
  const teams = useQuery(teamsQuery).data;
  const labels = useQuery(labelsQuery).data;
  const boards = useQuery(kanbansQuery).data;
  const channels = useQuery(channelsQuery).data;
  const agents = useQuery(agentsQuery).data;
  const tokens = useQuery({ ...tokensQuery, enabled: useMay('tokens.manage') }).data;
  const webhooks = useQuery({ ...webhooksQuery, enabled: useMay('webhooks.manage') }).data;
  const account = useQuery(accountQuery).data;
  return useMemo(() => {
    const names = new Map<string, string>();
    // Oldest first: the last name that was given counts.
    for (const { target, changes } of entries.toReversed()) {
      const name = nameIn(changes);
      if (name) names.set(target.id, name);
    }
    const fields = (boards ?? [])
      .flatMap((board) => board.fields)
      .map((field) => ({ id: field.id, name: fieldLabel(field) }));
    const named: Named[][] = [users, teams, labels, boards, fields, channels, agents, tokens].map(
      (list) => list ?? [],
    );
    if (account) named.push([account]);
    for (const { id, name } of named.flat()) names.set(id, name);
    for (const { id, description, url } of webhooks ?? []) names.set(id, description || url);
    return (id) => names.get(id);
  }, [entries, users, teams, labels, boards, channels, agents, tokens, webhooks, account]);
}

/** Of a thing that is gone only the log knows what it was called. */
function nameIn(changes: AuditEntry['changes']): string | undefined {
  for (const key of ['name', 'title', 'description', 'url', 'email']) {
    const change = changes[key] as { from?: unknown; to?: unknown } | string | null | undefined;
    const value = typeof change === 'object' && change !== null ? (change.to ?? change.from) : change;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
