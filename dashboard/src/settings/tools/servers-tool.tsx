/** A tool of an MCP server: what the server says of it, what has changed since somebody looked, and whether agents have it. */
import type { Tool } from '../../../../contract/tools.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { SavedSwitch } from '../parts/saved-fields.tsx';
import { KindAndApproval } from './tool-fields.tsx';
import type { ChangeTool } from './tool-settings.tsx';

export function ServersTool({ tool, change }: { tool: Tool; change: ChangeTool }) {
  const { changedFrom, enabled, description, parameters } = tool;
  const schema = textOf(parameters);
  return (
    <>
      {changedFrom ? (
        <section
          aria-label={t('tools.changed')}
          className="flex flex-col gap-3 rounded-panel border border-danger/40 p-3"
        >
          <p className="text-danger">{t('tools.changedText')}</p>
          {changedFrom.description !== description && (
            <Difference label={t('tools.description')} from={changedFrom.description} to={description} />
          )}
          {textOf(changedFrom.parameters) !== schema && (
            <Difference
              label={t('tools.parameters')}
              from={textOf(changedFrom.parameters)}
              to={schema}
              mono
            />
          )}
        </section>
      ) : (
        <>
          <Said label={t('tools.description')} text={description || t('tools.noDescription')} />
          <Said label={t('tools.parameters')} text={schema} mono />
        </>
      )}
      <SavedSwitch
        label={t('tools.enabled')}
        hint={enabled ? t('tools.enabledHint') : t('tools.lookFirst')}
        checked={enabled}
        onSave={(next) => change({ enabled: next })}
      />
      <KindAndApproval
        value={tool}
        onChange={(kind, approval) =>
          void change({ kind, approval }).catch((error) => toast.failed(t('settings.failed'), error))
        }
      />
    </>
  );
}

const textOf = (value: unknown) => JSON.stringify(value, null, 2);

function Difference({ label, from, to, mono }: { label: string; from: string; to: string; mono?: boolean }) {
  return (
    <div className="flex flex-col gap-1">
      <h3 className="font-medium">{label}</h3>
      <div className="grid gap-2 sm:grid-cols-2">
        <Said label={t('tools.before')} text={from} mono={mono} />
        <Said label={t('tools.now')} text={to} mono={mono} />
      </div>
    </div>
  );
}

const Said = ({ label, text, mono }: { label: string; text: string; mono?: boolean | undefined }) => (
  <div className="flex min-w-0 flex-col gap-1">
    <span className="text-sm text-muted">{label}</span>
    <p
      className={`max-h-72 overflow-y-auto rounded-control border border-line bg-sunken px-2 py-1 text-sm whitespace-pre-wrap wrap-anywhere ${mono ? 'font-mono' : ''}`}
    >
      {text}
    </p>
  </div>
);
