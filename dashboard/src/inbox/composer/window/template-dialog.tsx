/** Choosing a template, filling its values from the card, and sending it now or later. */
import { useQuery } from '@tanstack/react-query';
import { Megaphone } from 'lucide-react';
import { useState } from 'react';
import { randomId } from '../../../../../browser/random-id.ts';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import type { Template } from '../../../../../contract/messaging/templates.ts';
import { t } from '../../../texts/texts.ts';
import { SearchInput } from '../../../ui/controls/input.tsx';
import { Badge } from '../../../ui/display/badge.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../ui/display/states.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { rereadScheduled, type SendTime } from '../later/scheduled-data.ts';
import { keepSources } from './card-values.ts';
import { findTemplates, isSendable, sendTemplate, templatesQuery } from './template-data.ts';
import { type FilledTemplate, TemplateForm } from './template-form.tsx';

export default function TemplateDialog({ session, onClose }: { session: InboxSession; onClose(): void }) {
  const [chosen, setChosen] = useState<Template | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [idempotencyKey] = useState(randomId);
  const { sessionId, channelId } = session;
  const send = async ({ template, values, sources }: FilledTemplate, at: SendTime | null) => {
    setIsBusy(true);
    const { name, language } = template;
    try {
      await sendTemplate(sessionId, { name, language, parameters: values, ...at }, idempotencyKey);
      keepSources(channelId, `${name}:${language}`, sources);
      if (at) rereadScheduled(sessionId);
      toast.done(at ? t('later.done') : t('template.sent'));
      onClose();
    } catch (error) {
      toast.failed(t('template.failed'), error);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={chosen ? readable(chosen.name) : t('template.choose')}
      description={chosen ? undefined : t('template.text')}
      wide
    >
      {chosen ? (
        <TemplateForm
          session={session}
          template={chosen}
          isBusy={isBusy}
          onBack={() => setChosen(null)}
          onSend={(filled, at) => void send(filled, at)}
        />
      ) : (
        <TemplateList channelId={channelId} onChoose={setChosen} />
      )}
    </Dialog>
  );
}

const readable = (name: string) => name.replaceAll('_', ' ');

function TemplateList({ channelId, onChoose }: { channelId: string; onChoose(template: Template): void }) {
  const query = useQuery(templatesQuery(channelId));
  const [wanted, setWanted] = useState('');
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) {
    return (
      <div role="status" aria-label={t('ui.loading')} className="flex flex-col gap-2">
        <Skeleton className="h-8" />
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
      </div>
    );
  }
  const usable = query.data.filter(isSendable);
  const found = findTemplates(usable, wanted);
  const others = query.data.filter((template) => !isSendable(template));
  if (usable.length === 0) {
    return (
      <>
        <EmptyState
          icon={<Megaphone className="size-4" />}
          title={t('template.none')}
          text={t('template.none.text')}
        />
        <NotSendable templates={others} />
      </>
    );
  }
  return (
    <div className="flex flex-col gap-2">
      <SearchInput
        autoFocus
        value={wanted}
        onChange={setWanted}
        label={t('template.search')}
        placeholder={t('template.search')}
      />
      {found.length === 0 && <p className="py-4 text-center text-muted">{t('template.notFound')}</p>}
      <ul className="-mx-2 flex flex-col">
        {found.map((template) => (
          <li key={`${template.name} ${template.language}`}>
            <button
              type="button"
              onClick={() => onChoose(template)}
              className="flex w-full flex-col gap-0.5 rounded-control px-2 py-1.5 text-left hover:bg-hover focus-visible:bg-hover"
            >
              <span className="flex items-center gap-2 font-medium">
                {readable(template.name)}
                <Badge>{template.language}</Badge>
              </span>
              <span className="line-clamp-2 text-sm text-muted">{template.text}</span>
            </button>
          </li>
        ))}
      </ul>
      <NotSendable templates={others} />
    </div>
  );
}

/** Those that wait for the provider's approval, were rejected, or have parts that cannot be filled here. */
function NotSendable({ templates }: { templates: readonly Template[] }) {
  if (templates.length === 0) return null;
  const reasonOf = ({ status, unsupported }: Template) => unsupported ?? status.toLowerCase();
  const names = templates.map((template) => `${readable(template.name)} (${reasonOf(template)})`);
  return (
    <p className="text-sm text-pretty text-muted wrap-anywhere">
      {t('template.notSendable', { names: names.join(', ') })}
    </p>
  );
}
