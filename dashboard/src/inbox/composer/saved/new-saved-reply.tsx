import { useRef, useState } from 'react';
import { limits } from '../../../../../contract/limits.ts';
import { api } from '../../../data/api.ts';
import { savedRepliesQuery } from '../../../data/queries.ts';
import { refresh } from '../../../data/refresh.ts';
import { t } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Field, TextArea } from '../../../ui/controls/input.tsx';
import { Switch } from '../../../ui/controls/switch.tsx';
import { TextField } from '../../../ui/controls/text-field.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { insertAt } from './insert-at.ts';
import { PlaceholderHelp } from './lazy-placeholder-help.tsx';
import { placeholderNames } from './placeholders.ts';

export function NewSavedReply({ text: given, onClose }: { text: string; onClose(): void }) {
  const [name, setName] = useState('');
  const [text, setText] = useState(given);
  const [shared, setShared] = useState(true);
  const [busy, setBusy] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const save = async () => {
    setBusy(true);
    try {
      await api('POST', '/saved-replies', { body: { name: name.trim(), text, shared } });
      await refresh(savedRepliesQuery.queryKey);
      toast.done(t('inbox.saved.done'));
      onClose();
    } catch (error) {
      toast.failed(t('inbox.saved.failed'), error, () => void save());
      setBusy(false);
    }
  };
  const placeholders = placeholderNames.map((one) => `{{${one}}}`).join(', ');
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('inbox.saved.title')}
      description={t('inbox.saved.text', { placeholders })}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button
            tone="primary"
            busy={busy}
            disabled={!name.trim() || !text.trim()}
            onClick={() => void save()}
          >
            {t('ui.save')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <TextField
          label={t('inbox.saved.name')}
          value={name}
          maxLength={limits.nameLength}
          onChange={setName}
        />
        <Field label={t('inbox.saved.body')}>
          {(ids) => (
            <TextArea
              {...ids}
              ref={area}
              rows={4}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <PlaceholderHelp text={text} onInsert={(piece) => insertAt(area.current, piece, setText)} />
        <Switch checked={shared} onChange={setShared} label={t('inbox.saved.share')} />
      </div>
    </Dialog>
  );
}
