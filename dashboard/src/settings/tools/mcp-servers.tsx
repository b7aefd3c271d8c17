/** The MCP servers of the account, each with its tools. */
import { RotateCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import type { McpServer } from '../../../../contract/mcp-servers.ts';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Time } from '../../ui/display/time.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Rows } from '../parts/rows.tsx';
import { readHeaderLines } from './header-lines.ts';
import { reloadTools } from './tools-data.ts';

export function McpServerPart({ server, rows }: { server: McpServer; rows: readonly ReactNode[] }) {
  const { id, name, url, refreshedAt } = server;
  const [isReading, setReading] = useState(false);
  const readAgain = async () => {
    setReading(true);
    try {
      await api('POST', `/mcp-servers/${id}/refresh`);
      await reloadTools();
      toast.done(t('tools.refreshed', { name }));
    } catch (error) {
      toast.failed(t('tools.refreshFailed'), error);
    } finally {
      setReading(false);
    }
  };
  return (
    <section aria-label={name} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-48 flex-1">
          <h4 className="font-medium">{name}</h4>
          <p className="text-sm text-muted">
            <span className="font-mono wrap-anywhere">{url}</span> · {t('tools.readAt')}{' '}
            <Time at={refreshedAt} />
          </p>
        </div>
        <Button
          icon={<RotateCw className="size-3.5" />}
          busy={isReading}
          aria-label={`${t('tools.refresh')}: ${name}`}
          onClick={() => void readAgain()}
        >
          {t('tools.refresh')}
        </Button>
        <ConfirmButton
          tone="quiet"
          action={t('tools.removeServer')}
          title={t('tools.removeServerTitle', { name })}
          text={t('tools.removeServerText')}
          failed={t('settings.failed')}
          onConfirm={async () => {
            await api('DELETE', `/mcp-servers/${id}`);
            await reloadTools();
            toast.done(t('tools.serverRemoved', { name }));
          }}
        />
      </div>
      {rows.length > 0 ? (
        <Rows label={name}>{rows}</Rows>
      ) : (
        <p className="text-muted">{t('tools.serverEmpty')}</p>
      )}
    </section>
  );
}

export function NewServer({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [headers, setHeaders] = useState('');
  return (
    <FormDialog
      title={t('tools.addServer')}
      description={t('tools.addServerText')}
      action={t('ui.add')}
      ready={name.trim() !== '' && url.trim() !== ''}
      onSubmit={async () => {
        const body = {
          name: name.trim(),
          url: url.trim(),
          headers: readHeaderLines(headers, (line) => t('tools.headerLine', { line })),
        };
        await api('POST', '/mcp-servers', { body });
        await reloadTools();
      }}
      onClose={onClose}
    >
      <TextField
        label={t('tools.serverName')}
        hint={t('tools.serverNameHint')}
        autoFocus
        maxLength={40}
        value={name}
        onChange={setName}
      />
      <TextField
        label={t('tools.url')}
        type="url"
        mono
        maxLength={limits.tools.urlLength}
        placeholder="https://mcp.example.com/mcp"
        value={url}
        onChange={setUrl}
      />
      <TextField
        label={t('tools.headers')}
        hint={t('tools.headersHint')}
        lines={{ min: 1, max: 6 }}
        mono
        spellCheck={false}
        value={headers}
        onChange={setHeaders}
      />
    </FormDialog>
  );
}
