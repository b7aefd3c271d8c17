import { useParams } from '@tanstack/react-router';

export function ConversationRoute() {
  const { sessionId } = useParams({ from: '/shell/inbox/$sessionId' });
  return <p className="p-4">{sessionId}</p>;
}
