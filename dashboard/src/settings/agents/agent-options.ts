import { type AgentUpdate, providers } from '../../../../contract/channels.ts';
import { t } from '../../texts/texts.ts';

export type ChangeAgent = (body: AgentUpdate) => Promise<void>;

export const providerOptions = () =>
  providers.map((value) => ({ value, label: t(`agents.provider.${value}`) }));
