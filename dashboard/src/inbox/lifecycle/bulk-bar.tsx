/** What can be done with the selected conversations; below the list. */
import { AlarmClock, Check, CheckCheck, MailOpen, RotateCcw, Tag, X, Zap } from 'lucide-react';
import { useMay } from '../../data/session.ts';
import { macroRequest } from '../../macros/macro-request.ts';
import { t, tn } from '../../texts/texts.ts';
import { bottomBar } from '../../ui/bottom-bar.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { selection, useSelectedCount } from './selection.ts';
import { labelling, snoozing } from './session-requests.ts';
import type { DoTriage } from './use-triage.ts';

export function BulkBar({ act }: { act: DoTriage }) {
  const count = useSelectedCount();
  const mayChange = useMay('conversations.reply');
  if (count === 0 || !mayChange) return null;
  return (
    <div
      ref={bottomBar}
      role="toolbar"
      aria-label={tn('lifecycle.selected', count)}
      className="flex h-11 shrink-0 items-center gap-0.5 border-t border-line bg-raised px-2"
    >
      {/* The list has no room for more; the toolbar's name says what it counts. */}
      <span title={tn('lifecycle.selected', count)} className="tabular flex-1 px-1 font-medium">
        {count}
      </span>
      <IconButton label={t('lifecycle.resolve')} shortcut="e" onClick={() => act('resolve', selection.all())}>
        <Check className="size-4" />
      </IconButton>
      <IconButton label={t('lifecycle.snooze')} shortcut="h" onClick={() => snoozing.begin(selection.all())}>
        <AlarmClock className="size-4" />
      </IconButton>
      <IconButton label={t('lifecycle.label')} shortcut="l" onClick={() => labelling.begin(selection.all())}>
        <Tag className="size-4" />
      </IconButton>
      <IconButton
        label={t('lifecycle.macro')}
        shortcut="m"
        onClick={() => macroRequest.begin(selection.all())}
      >
        <Zap className="size-4" />
      </IconButton>
      <IconButton label={t('lifecycle.reopen')} shortcut="u" onClick={() => act('reopen', selection.all())}>
        <RotateCcw className="size-4" />
      </IconButton>
      <IconButton label={t('lifecycle.read')} shortcut="shift+r" onClick={() => act('read', selection.all())}>
        <MailOpen className="size-4" />
      </IconButton>
      <span aria-hidden className="mx-1 h-5 w-px bg-line" />
      <IconButton label={t('lifecycle.selectAll')} shortcut="shift+x" onClick={selection.addAll}>
        <CheckCheck className="size-4" />
      </IconButton>
      <IconButton label={t('lifecycle.clearSelection')} shortcut="escape" onClick={selection.clear}>
        <X className="size-4" />
      </IconButton>
    </div>
  );
}
