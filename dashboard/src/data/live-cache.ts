/** What every view shares is kept current here; a view's own lists hear of changes themselves (`useLive`). */
import type { CrmRecord } from '../../../contract/records.ts';
import { onLive } from './live.ts';
import { keys } from './queries.ts';
import { queryClient } from './query-client.ts';
import { refresh } from './refresh.ts';

export function keepCacheCurrent(): void {
  onLive('record.updated', ({ record }) => {
    queryClient.setQueryData<CrmRecord>(keys.record(record.recordId), (old) => old && record);
    void queryClient.invalidateQueries({ queryKey: keys.activity(record.recordId) });
  });
  onLive('record.deleted', ({ recordId }) => {
    void queryClient.invalidateQueries({ queryKey: keys.record(recordId) });
  });
  onLive('definitions.updated', () => {
    for (const queryKey of [keys.kanbans, keys.fieldGroups, keys.channels, keys.agents])
      void refresh(queryKey);
  });
  // What was missed cannot be told any more: everything that is on the screen is read anew.
  onLive('reload', () => void refresh([]));
}
