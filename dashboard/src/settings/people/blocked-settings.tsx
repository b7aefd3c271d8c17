import { useInfiniteQuery } from '@tanstack/react-query';
import { Ban, Plus } from 'lucide-react';
import { useState } from 'react';
import type { BlockedContact } from '../../../../contract/messages.ts';
import { api } from '../../data/api.ts';
import { usePersonOf } from '../../data/queries.ts';
import { fullDate } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { Time } from '../../ui/display/time.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Tooltip } from '../../ui/overlays/tooltip.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Row, RowIcon, Rows } from '../parts/rows.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { blockedQuery, reload, settingsKeys } from '../settings-data.ts';

const reloadBlocked = () => reload(settingsKeys.blocked);
const pathOf = (identifier: string) => `/blocked-contacts/${encodeURIComponent(identifier)}`;

export default function BlockedSettings() {
  const [isNew, setNew] = useState(false);
  const contacts = useInfiniteQuery(blockedQuery);
  return (
    <Section
      title={t('settings.blocked')}
      description={t('blocked.text')}
      actions={
        <Button tone="primary" icon={<Plus className="size-3.5" />} onClick={() => setNew(true)}>
          {t('blocked.block')}
        </Button>
      }
    >
      <Answer query={contacts}>
        {({ pages }) => {
          const list = pages.flatMap(({ items }) => items);
          if (list.length === 0) {
            return (
              <EmptyState
                icon={<Ban className="size-4" />}
                title={t('blocked.empty')}
                text={t('blocked.emptyText')}
              />
            );
          }
          return (
            <>
              <Rows label={t('settings.blocked')}>
                {list.map((contact) => (
                  <ContactRow key={contact.identifierValue} contact={contact} />
                ))}
              </Rows>
              {contacts.hasNextPage && (
                <Button
                  className="self-center"
                  busy={contacts.isFetchingNextPage}
                  onClick={() => void contacts.fetchNextPage()}
                >
                  {t('ui.loadMore')}
                </Button>
              )}
            </>
          );
        }}
      </Answer>
      {isNew && <BlockDialog onClose={() => setNew(false)} />}
    </Section>
  );
}

function ContactRow({ contact }: { contact: BlockedContact }) {
  const personOf = usePersonOf();
  const { identifierValue, reason, createdAt, createdBy, droppedCount, lastDroppedAt } = contact;
  const by = personOf(createdBy)?.name;
  return (
    <Row
      mark={
        <RowIcon>
          <Ban className="size-4" />
        </RowIcon>
      }
      title={<span className="font-mono text-sm">{identifierValue}</span>}
      badges={
        <Tooltip
          text={
            lastDroppedAt === null
              ? t('blocked.noneDropped')
              : t('blocked.lastDropped', { date: fullDate(lastDroppedAt) })
          }
        >
          <span>
            <Badge hue={droppedCount > 0 ? 'orange' : undefined}>{tn('blocked.dropped', droppedCount)}</Badge>
          </span>
        </Tooltip>
      }
      text={
        <>
          {reason || t('blocked.noReason')} · {by ? `${by}, ` : ''}
          <Time at={createdAt} />
        </>
      }
      end={
        <Button
          size="small"
          aria-label={t('blocked.unblockOf', { contact: identifierValue })}
          onClick={() => void unblock(contact)}
        >
          {t('blocked.unblock')}
        </Button>
      }
    />
  );
}

async function unblock({ identifierValue, reason }: BlockedContact): Promise<void> {
  try {
    await api('DELETE', pathOf(identifierValue));
    await reloadBlocked();
    toast.undo(t('blocked.unblocked', { contact: identifierValue }), () => {
      void block(identifierValue, reason).catch((error) => toast.failed(t('settings.undoFailed'), error));
    });
  } catch (error) {
    toast.failed(
      t('blocked.unblockFailed'),
      error,
      () => void unblock({ identifierValue, reason } as BlockedContact),
    );
  }
}

async function block(identifier: string, reason: string): Promise<void> {
  await api('POST', pathOf(identifier), { body: reason ? { reason } : {} });
  await reloadBlocked();
}

function BlockDialog({ onClose }: { onClose(): void }) {
  const [identifier, setIdentifier] = useState('');
  const [reason, setReason] = useState('');
  return (
    <FormDialog
      title={t('blocked.block')}
      description={t('blocked.blockText')}
      action={t('blocked.blockAct')}
      ready={identifier.trim() !== ''}
      onSubmit={() => block(identifier.trim(), reason.trim())}
      onClose={onClose}
    >
      <Field label={t('blocked.identifier')} hint={t('blocked.identifierHint')}>
        {(ids) => (
          <Input
            {...ids}
            autoFocus
            value={identifier}
            onChange={(event) => setIdentifier(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('blocked.reason')}>
        {(ids) => <Input {...ids} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
    </FormDialog>
  );
}
