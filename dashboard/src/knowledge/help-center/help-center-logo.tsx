/** The logo of the help center: what it looks like, another one, or none. */
import { useQuery } from '@tanstack/react-query';
import { ImagePlus, Trash2 } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { attachmentKinds } from '../../../../contract/limits.ts';
import { describeError } from '../../data/errors.ts';
import { bytes } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { imageTypes, sendImage } from '../articles/article-images.ts';
import { logoQuery } from '../knowledge-data.ts';
import type { SaveHelpCenter } from './help-center-settings.tsx';

export function HelpCenterLogo({ fileKey, onSave }: { fileKey: string | null; onSave: SaveHelpCenter }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const noteId = useId();
  const logo = useQuery({ ...logoQuery(fileKey ?? ''), enabled: fileKey !== null });
  const change = async (image: File | null) => {
    setBusy(true);
    setError('');
    try {
      await onSave({ logoFileKey: image && (await sendImage(image)) });
    } catch (failure) {
      setError(describeError(failure).text);
    } finally {
      setBusy(false);
    }
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div role="group" aria-label={t('knowledge.help.logo')} className="flex flex-col gap-1">
      <span className="font-medium">{t('knowledge.help.logo')}</span>
      <div className="flex flex-wrap items-center gap-2">
        {fileKey !== null && (
          <span className="flex h-12 min-w-12 items-center justify-center rounded-control border border-line bg-sunken p-1.5">
            {logo.data && (
              <img
                src={logo.data.downloadUrl}
                alt={t('knowledge.help.logoNow')}
                className="max-h-full max-w-40 object-contain"
              />
            )}
          </span>
        )}
        <Button
          busy={busy}
          aria-describedby={noteId}
          icon={<ImagePlus className="size-3.5" />}
          onClick={() => input.current?.click()}
        >
          {fileKey === null ? t('knowledge.help.logoUpload') : t('knowledge.help.logoReplace')}
        </Button>
        {fileKey !== null && (
          <Button
            tone="quiet"
            disabled={busy}
            icon={<Trash2 className="size-3.5" />}
            onClick={() => void change(null)}
          >
            {t('knowledge.help.logoRemove')}
          </Button>
        )}
        <input
          ref={input}
          type="file"
          accept={imageTypes}
          tabIndex={-1}
          aria-label={t('knowledge.help.logo')}
          className="hidden"
          onChange={(event) => {
            const image = event.target.files?.[0];
            if (image) void change(image);
            // Allows choosing the same file again.
            event.target.value = '';
          }}
        />
      </div>
      <p
        id={noteId}
        role={error ? 'alert' : undefined}
        className={error ? 'text-sm text-danger' : 'text-sm text-muted'}
      >
        {error || t('knowledge.help.logoHint', { limit: bytes(attachmentKinds.image.maxBytes) })}
      </p>
    </div>
  );
}
