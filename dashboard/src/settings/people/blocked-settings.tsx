import { useInfiniteQuery } from '@tanstack/react-query';
import { Ban } from 'lucide-react';
import { useState } from 'react';
import type { BlockedContact } from '../../../../contract/messaging/blocked-contacts.ts';
import { api } from '../../data/api.ts';
import { usePersonOf } from '../../data/queries.ts';
import { fullDate } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { Time } from '../../ui/display/time.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Tooltip } from '../../ui/overlays/tooltip.tsx';
import { CreateButton, EntityList, LoadMore } from '../parts/entity-list.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { blockedQuery, reload, settingsKeys } from '../settings-data.ts';
import { pathOf, UnblockErased } from './blocked-erased.tsx';

const reloadBlocked = () => reload(settingsKeys.blocked);
/** Of a person whose data was erased: only a hash of the identifier is left. */
const isErased = ({ identifierType }: BlockedContact) => identifierType === 'erased';

export default function BlockedSettings() {
  const [isNew, setNew] = useState(false);
  const contacts = useInfiniteQuery(blockedQuery);
  return (
    <Section
      title={t('settings.blocked')}
      description={t('blocked.text')}
      actions={<CreateButton label={t('blocked.block')} onClick={() => setNew(true)} />}
    >
      <Answer query={contacts}>
        {({ pages }) => (
          <EntityList
            label={t('settings.blocked')}
            items={pages.flatMap(({ items }) => items).map((contact, index) => ({ contact, index }))}
            empty={{
              icon: <Ban className="size-4" />,
              title: t('blocked.empty'),
              text: t('blocked.emptyText'),
            }}
            // Several entries may show the same identifier.
            row={({ contact, index }) => (
              <ContactRow key={`${contact.identifierValue}/${index}`} contact={contact} />
            )}
          />
        )}
      </Answer>
      <LoadMore query={contacts} />
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
      title={
        isErased(contact) ? t('blocked.erased') : <span className="font-mono text-sm">{identifierValue}</span>
      }
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
          {isErased(contact) ? t('blocked.erasedText') : reason || t('blocked.noReason')} ·{' '}
          {by ? `${by}, ` : ''}
          <Time ago at={createdAt} />
        </>
      }
      end={
        isErased(contact) ? (
          <UnblockErased />
        ) : (
          <Button
            size="small"
            aria-label={t('blocked.unblockOf', { contact: identifierValue })}
            onClick={() => void unblock(contact)}
          >
            {t('blocked.unblock')}
          </Button>
        )
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
      <TextField
        label={t('blocked.identifier')}
        hint={t('blocked.identifierHint')}
        autoFocus
        value={identifier}
        onChange={setIdentifier}
      />
      <TextField label={t('blocked.reason')} value={reason} onChange={setReason} />
    </FormDialog>
  );
}
