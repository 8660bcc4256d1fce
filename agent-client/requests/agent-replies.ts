// SPDX-License-Identifier: MIT OR Apache-2.0
// The type of the reply to each verb of the service `agent`. Types only.
import type { ProbeReply } from "../../agentd/vocabulary/probe.ts";
import type * as replies from "../../agentd/vocabulary/replies.ts";

export interface AgentReplies {
  readonly "agent.session.start": replies.StartReply;
  readonly "agent.session.resume": replies.ResumeReply;
  readonly "agent.session.prompt": replies.PromptReply;
  readonly "agent.session.cancel": replies.CancelReply;
  readonly "agent.session.close": replies.CloseReply;
  readonly "agent.session.rename": replies.RenameReply;
  readonly "agent.session.set_config": replies.SetConfigReply;
  readonly "agent.session.forget": replies.ForgetReply;
  readonly "agent.session.attach": replies.AttachReply;
  readonly "agent.session.detach": replies.DetachReply;
  readonly "agent.session.list": replies.SessionListReply;
  readonly "agent.session.get": replies.SessionSnapshot;
  readonly "agent.session.log": replies.LogPage | replies.LogPiece;
  readonly "agent.session.wait": replies.WaitReply;
  readonly "agent.permission.answer": replies.PermissionAnswerReply;
  readonly "agent.elicitation.answer": replies.ElicitationAnswerReply;
  readonly "agent.elicitation.list": replies.ElicitationListReply;
  readonly "agent.permission.list": replies.PermissionListReply;
  readonly "agent.policy.test": replies.PolicyTestReply;
  readonly "agent.login": replies.LoginReply;
  readonly "agent.session.purge": replies.PurgeReply;
  readonly "agent.log.prune": replies.PruneReply;
  readonly "agent.log.redact": replies.RedactReply;
  readonly "agent.log.verify": replies.VerifyReply;
  readonly "agent.log.stats": replies.StatsReply;
  readonly "agent.probe": ProbeReply;
  readonly "agent.list": replies.CatalogueReply;
  readonly "agent.status": replies.StatusReply;
}
