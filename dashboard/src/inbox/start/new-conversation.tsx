/** An operator writes to a customer first: channel, recipient, and the first message. */
import { type FormEvent, useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { describeError } from '../../data/errors.ts';
import { useKanbans } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { ChannelIcon } from '../../ui/display/channel-icon.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { UnfilledBar } from '../composer/sending/unfilled-bar.tsx';
import { FirstMessage } from './first-message.tsx';
import { reachesPhones } from './recipients.ts';
import { type StartFrom, useStart } from './use-start.ts';

type Start = ReturnType<typeof useStart>;

export default function NewConversation({ from, onClose }: { from?: StartFrom; onClose(): void }) {
  const start = useStart(from, onClose);
  const [error, setError] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [isStopped, setIsStopped] = useState(false);
  const sendAnyway = async () => {
    setIsBusy(true);
    setIsStopped(false);
    setError('');
    try {
      await start.send();
    } catch (failure) {
      setError(describeError(failure).text);
      setIsBusy(false);
    }
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (!start.isReady || isBusy) return;
    if (start.unfilled.length > 0) setIsStopped(true);
    else void sendAnyway();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('composer.start')}
      description={start.channel ? t('composer.start.text') : undefined}
    >
      {start.channel ? (
        <form onSubmit={submit} className="flex flex-col gap-4 pb-2">
          <Recipient start={start} />
          {!from && <BoardChoice start={start} />}
          <FirstMessage start={start} recordId={from?.record.recordId ?? null} onSubmit={submit} />
          {isStopped && start.unfilled.length > 0 && (
            <UnfilledBar unfilled={start.unfilled} onSend={() => void sendAnyway()} />
          )}
          <Switch checked={start.keepsAi} onChange={start.setKeepsAi} label={t('composer.start.keepAi')} />
          {error && (
            <p role="alert" className="text-danger">
              {error}
            </p>
          )}
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>{t('ui.cancel')}</Button>
            <Button type="submit" tone="primary" busy={isBusy} disabled={!start.isReady}>
              {t('composer.start.action')}
            </Button>
          </div>
        </form>
      ) : (
        <p className="pb-3 text-muted">{t('composer.start.noChannel')}</p>
      )}
    </Dialog>
  );
}

function Recipient({ start }: { start: Start }) {
  const { channels, channel, recipient } = start;
  const others = start.offered.filter((value) => value !== recipient);
  return (
    <>
      <Field label={t('composer.start.channel')}>
        {(ids) => (
          <Select
            {...ids}
            value={channel?.id}
            onChange={start.chooseChannel}
            options={channels.map(({ id, name, type }) => ({
              value: id,
              label: name,
              mark: <ChannelIcon type={type} className="size-3.5" />,
            }))}
          />
        )}
      </Field>
      <div className="flex flex-col items-start gap-1.5 *:w-full">
        <TextField
          label={t('composer.start.to')}
          hint={t(channel && reachesPhones(channel) ? 'composer.start.hint.phone' : 'composer.start.hint.id')}
          error={start.isWrongPhone ? t('composer.start.badPhone') : undefined}
          autoFocus
          value={recipient}
          maxLength={limits.nameLength}
          onChange={start.setRecipient}
        />
        {others.length > 0 && (
          <div className="flex flex-wrap gap-1">
            {others.map((value) => (
              <Button key={value} size="small" onClick={() => start.setRecipient(value)}>
                {t('composer.start.fromCard', { value })}
              </Button>
            ))}
          </div>
        )}
      </div>
      <TextField
        label={t('composer.start.name')}
        value={start.name}
        maxLength={limits.nameLength}
        onChange={start.setName}
      />
    </>
  );
}

function BoardChoice({ start }: { start: Start }) {
  const boards = useKanbans();
  const byChannel = { value: 'channel', label: t('composer.start.boardDefault') };
  return (
    <Field label={t('composer.start.board')}>
      {(ids) => (
        <Select
          {...ids}
          value={start.kanbanId ?? byChannel.value}
          onChange={(value) => start.setKanbanId(value === byChannel.value ? undefined : value)}
          options={[byChannel, ...boards.map(({ id, name }) => ({ value: id, label: name }))]}
        />
      )}
    </Field>
  );
}
