import { AlarmClock, CircleCheck, Hand, RotateCcw, Star } from 'lucide-react';
import type { SessionChangeEntry } from '../../../../contract/messaging/lifecycle.ts';
import { useSignedIn } from '../../data/session.ts';
import { clockTime, dayAndTime, fullDate } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';

const changeOf = ({ changes }: SessionChangeEntry, name: string) =>
  changes.find(({ field }) => field === name);

const shownFields = ['status', 'snoozedUntil', 'personRequested', 'rating', 'ratingComment'];
/** Whether the chat has a line for it. */
export const isShownChange = ({ changes }: SessionChangeEntry) =>
  changes.some(({ field }) => shownFields.includes(field));

/** Between the messages: who resolved, snoozed or reopened the conversation. */
export function ChangeLine({ entry }: { entry: SessionChangeEntry }) {
  const { user } = useSignedIn();
  const status = changeOf(entry, 'status');
  const Icon = changeOf(entry, 'personRequested')
    ? Hand
    : changeOf(entry, 'rating') || changeOf(entry, 'ratingComment')
      ? Star
      : status?.newValue === 'resolved'
        ? CircleCheck
        : status?.newValue === 'open'
          ? RotateCcw
          : AlarmClock;
  return (
    <p className="my-2 flex items-center justify-center gap-1.5 text-sm text-muted">
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-0 text-pretty wrap-anywhere">{textOf(entry, user.id)}</span>
      <time title={fullDate(entry.at)} className="tabular shrink-0 text-faint">
        {clockTime(entry.at)}
      </time>
    </p>
  );
}

function textOf(entry: SessionChangeEntry, userId: string): string {
  const { changedBy } = entry;
  const status = changeOf(entry, 'status');
  const until = changeOf(entry, 'snoozedUntil')?.newValue as number | null | undefined;
  const isYou = changedBy.id === userId;
  const name = changedBy.name ?? t('inbox.pause.someone');
  if (changeOf(entry, 'personRequested')) {
    return t(status ? 'lifecycle.line.personReopened' : 'lifecycle.line.person');
  }
  const rating = ratingText(entry);
  if (rating) return rating;
  if (status?.newValue === 'open') {
    if (changedBy.type === 'customer') return t('lifecycle.line.customer');
    if (changedBy.type === 'system') return t('lifecycle.line.snoozeEnded');
    return isYou ? t('lifecycle.line.youReopened') : t('lifecycle.line.reopened', { name });
  }
  if (status?.newValue === 'resolved') {
    return isYou ? t('lifecycle.line.youResolved') : t('lifecycle.line.resolved', { name });
  }
  if (!until) {
    return isYou ? t('lifecycle.line.youSnoozedOpen') : t('lifecycle.line.snoozedOpen', { name });
  }
  const time = dayAndTime(until, entry.at);
  return isYou ? t('lifecycle.line.youSnoozed', { time }) : t('lifecycle.line.snoozed', { name, time });
}

function ratingText(entry: SessionChangeEntry): string {
  const rating = changeOf(entry, 'rating');
  const comment = changeOf(entry, 'ratingComment')?.newValue;
  const key = rating?.oldValue === null ? 'lifecycle.line.rated' : 'lifecycle.line.ratedAgain';
  return [
    ...(rating ? [t(key, { score: Number(rating.newValue) })] : []),
    ...(typeof comment === 'string' ? [t('lifecycle.line.comment', { comment })] : []),
  ].join(': ');
}
