import { useQuery } from '@tanstack/react-query';
import { agentsQuery, channelsQuery } from '../data/queries.ts';

/** What the reports can be narrowed by. */
export const useReportChoices = () => ({
  channels: useQuery(channelsQuery).data ?? [],
  agents: useQuery(agentsQuery).data ?? [],
});
