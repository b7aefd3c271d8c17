import { AlarmClock, Bot, ListTodo, MessageSquare, User } from 'lucide-react';
import { type MouseEvent, memo, Suspense, useRef, useState } from 'react';
import type { KanbanField } from '../../../../contract/crm/kanbans.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { toPlainText } from '../../../../contract/markdown/markdown.ts';
import { lazyView } from '../../app/lazy-view.tsx';
import { isNewThing } from '../../data/store/entities.ts';
import { FieldIcon } from '../../fields/field-icon.tsx';
import { fieldLabel } from '../../fields/field-label.ts';
import { FieldValue, isEmptyValue, valueText } from '../../fields/field-value.tsx';
import { shownTitle } from '../../texts/customer-name.ts';
import { t, tn } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { AvatarStack } from '../../ui/display/avatar.tsx';
import { Time } from '../../ui/display/time.tsx';
import { selection, useCanSelect, useIsSelected } from '../data/selection.ts';
import { useCardDrag } from './use-card-drag.ts';
import { WindowLeft } from './window-left.tsx';

const CardLabels = lazyView(() => import('../../labels/card-labels.tsx'), 'default');

export interface CardViewProps {
  card: Card;
  face: readonly KanbanField[];
  people: readonly { id: string; name: string }[];
  /** Reached by Tab; the others by the arrow keys. */
  isActive: boolean;
  isOpen: boolean;
  isCarried: boolean;
  onOpen(card: Card): void;
  onSelectRange(card: Card): void;
}

export const CardView = memo(function CardView({
  card,
  face,
  people,
  isActive,
  isOpen,
  isCarried,
  onOpen,
  onSelectRange,
}: CardViewProps) {
  const element = useRef<HTMLDivElement>(null);
  const isDragged = useCardDrag(element, card);
  const canSelect = useCanSelect();
  const isSelected = useIsSelected(card.recordId);
  // The checkbox is rendered on hover: hundreds of cards scroll by without one.
  const [isHovered, setIsHovered] = useState(false);
  const isNew = isNewThing(card.recordId);

  const click = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey) selection.toggle(card);
    else if (event.shiftKey) onSelectRange(card);
    else onOpen(card);
  };
  const { conversation } = card;
  const title = shownTitle(card.title);
  const unread = (conversation?.unread ?? 0) > 0;
  const shown = face.filter((field) => !isEmptyValue(card.customFields[field.id]));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is not what this is, and a button may hold no checkbox
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter is handled by the board, which moves the focus
    <div
      ref={element}
      id={`card-${card.recordId}`}
      data-card={card.recordId}
      role="group"
      aria-label={labelOf(card, shown)}
      aria-roledescription={t('board.cardRole')}
      tabIndex={isActive ? 0 : -1}
      onClick={click}
      onPointerEnter={() => setIsHovered(true)}
      onPointerLeave={() => setIsHovered(false)}
      className={cx(
        'group relative flex flex-col gap-1.5 rounded-lg border border-line bg-surface px-3 py-2.5 text-left transition-[border-color,background-color,opacity] select-none hover:border-line-strong dark:bg-raised',
        isOpen && 'border-accent!',
        isSelected && 'border-accent! bg-accent-soft!',
        isCarried && 'border-accent! outline-2 outline-dashed outline-accent',
        (isDragged || isNew) && 'opacity-50',
      )}
    >
      <div className="flex items-start gap-2">
        <span title={title} className="line-clamp-2 min-w-0 flex-1 font-medium break-words">
          {title}
        </span>
        {unread && (
          <span
            title={tn('board.unread', conversation!.unread)}
            className="mt-1.5 size-2 shrink-0 rounded-full bg-accent group-hover:opacity-0"
          />
        )}
        {canSelect && (isSelected || isHovered) && (
          <span className="absolute top-2.5 right-2.5 rounded bg-inherit">
            <Checkbox
              checked={isSelected}
              onChange={() => selection.toggle(card)}
              label={t('board.select', { title })}
            />
          </span>
        )}
      </div>
      {(shown.length > 0 || (!conversation && people.length > 0)) && (
        <div className="flex items-end gap-2">
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2.5 gap-y-1 text-sm text-muted">
            {shown.map((field) => (
              <span
                key={field.id}
                title={`${fieldLabel(field)}: ${valueText(field, card.customFields[field.id])}`}
                className="flex max-w-full min-w-0 items-center gap-1"
              >
                {!field.options && <FieldIcon type={field.type} className="size-3 shrink-0 text-faint" />}
                <FieldValue field={field} value={card.customFields[field.id]} />
              </span>
            ))}
          </div>
          {!conversation && people.length > 0 && <AvatarStack people={people} tip={false} />}
        </div>
      )}
      {card.labelIds.length > 0 && (
        <Suspense fallback={<div className="h-5" />}>
          <CardLabels ids={card.labelIds} />
        </Suspense>
      )}
      <OpenTasks tasks={card.tasks} />
      {conversation && (
        <div className="flex min-h-5 items-center gap-1.5 text-sm text-faint">
          <LastMessage conversation={conversation} unread={unread} />
          {conversation.windowClosesAt !== null && <WindowLeft closesAt={conversation.windowClosesAt} />}
          {people.length > 0 && <AvatarStack people={people} tip={false} />}
        </div>
      )}
    </div>
  );
});

const roleIcons = { user: User, assistant: Bot, operator: MessageSquare, system: MessageSquare };

interface LastMessageProps {
  conversation: NonNullable<Card['conversation']>;
  unread: boolean;
}

function LastMessage({ conversation, unread }: LastMessageProps) {
  const { lastMessage, lastMessageAt } = conversation;
  const Icon = roleIcons[lastMessage?.role ?? 'user'];
  const text = toPlainText(lastMessage?.text ?? '');
  return (
    <>
      <Icon aria-hidden className="size-3 shrink-0" />
      <span title={text} className={cx('min-w-0 flex-1 truncate', unread && 'text-ink')}>
        {text || t('board.attachment')}
      </span>
      <Time at={lastMessageAt} className="tabular shrink-0" tip={false} />
    </>
  );
}

function labelOf(card: Card, shown: readonly KanbanField[]): string {
  const values = shown.map(
    (field) => `${fieldLabel(field)} ${valueText(field, card.customFields[field.id])}`,
  );
  const unread = card.conversation?.unread ? [tn('board.unread', card.conversation.unread)] : [];
  const tasks = card.tasks.open > 0 ? [tn('board.tasks', card.tasks.open)] : [];
  return [shownTitle(card.title), ...values, ...tasks, ...unread].join(', ');
}

/** How many tasks are open, and a red clock when one of them is overdue. */
function OpenTasks({ tasks }: { tasks: Card['tasks'] }) {
  if (tasks.open === 0) return null;
  const isLate = tasks.nextDueAt !== null && tasks.nextDueAt < Date.now();
  return (
    <span className="tabular flex items-center gap-1 self-start text-sm text-muted">
      <span title={tn('board.tasks', tasks.open)} className="flex items-center gap-1">
        <ListTodo aria-hidden className="size-3" />
        {tasks.open}
      </span>
      {isLate && (
        <span title={t('board.tasksOverdue')} data-overdue="" className="ml-1 text-danger">
          <AlarmClock aria-hidden className="size-3" strokeWidth={2.5} />
          <span className="sr-only">{t('board.tasksOverdue')}</span>
        </span>
      )}
    </span>
  );
}
