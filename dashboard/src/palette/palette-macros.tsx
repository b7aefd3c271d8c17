/** While a conversation is open, every macro is an action. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Zap } from 'lucide-react';
import { useMay } from '../data/session.ts';
import { findThing } from '../data/store/entities.ts';
import { macrosQuery } from '../macros/macro-data.ts';
import { macroRequest } from '../macros/macro-request.ts';
import { t } from '../texts/texts.ts';
import type { PaletteEntry } from './palette-entry.ts';

export function useMacroEntries(): PaletteEntry[] {
  const { sessionId } = useParams({ strict: false }) as { sessionId?: string };
  const mayRun = useMay('conversations.reply');
  const { data = [] } = useQuery({ ...macrosQuery, enabled: sessionId !== undefined && mayRun });
  if (sessionId === undefined || !mayRun) return [];
  return data.map(({ id, name }) => ({
    id: `macro ${id}`,
    group: 'page',
    icon: <Zap className="size-4" />,
    label: t('palette.macro', { name }),
    run: () => {
      const session = findThing('session', sessionId);
      if (session) macroRequest.begin([session], id);
    },
  }));
}
