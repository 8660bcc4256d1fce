;;; agent-shell.el --- agent-shell in an Emacs without a screen -*- lexical-binding: t; -*-
;; SPDX-License-Identifier: MIT OR Apache-2.0
;;; Commentary:
;; Emacs ends the agent by SIGHUP when it exits.
;;; Code:
(require 'map)
(map-do (lambda (_ folder) (add-to-list 'load-path folder))
        (json-parse-string (getenv "EDITOR_SOURCES")))
(require 'agent-shell)
(with-temp-buffer
  (insert (getenv "EDITOR_CONFIG"))
  (eval-buffer))

(setq agent-shell-session-strategy 'new
      agent-shell-session-restore-verbosity 'full
      agent-shell-confirm-interrupt nil
      agent-shell-show-welcome-message nil
      agent-shell-prefer-viewport-interaction nil)

(defvar driver-socket nil)
(defvar driver-rest "")
(defvar driver-queue nil)
(defvar driver-shell nil "The buffer of the chat.")
(defvar driver-shown "")
(defvar driver-prompts 0)
(defvar driver-running nil "The number of the prompt that runs.")
(defvar driver-answer "allow_once")
(defvar driver-answered nil "The requests that were answered.")

(defun driver-tell (&rest event)
  "Tell the test EVENT, a plist."
  (process-send-string driver-socket (concat (json-serialize event) "\n")))

(defun driver-state () (buffer-local-value 'agent-shell--state driver-shell))

(defun driver-session () (map-nested-elt (driver-state) '(:session :id)))

(defun driver-wait (what test)
  "Let everything go on until TEST returns non-nil, at most 40 s; WHAT says what for."
  (let ((end (+ (float-time) 40)) value)
    (while (not (setq value (funcall test)))
      (when (> (float-time) end) (error "%s did not happen" what))
      (driver-look)
      (accept-process-output nil 0.02))
    value))

(defun driver-answer-permission ()
  "Choose the option of kind `driver-answer' of whatever is asked."
  (map-do
   (lambda (id tool)
     (let ((request (map-elt tool :permission-request-id))
           (actions (map-elt tool :permission-actions)))
       (when (and request (not (member request driver-answered)))
         (push request driver-answered)
         (driver-tell :event "asked" :kinds (vconcat (mapcar (lambda (action) (map-elt action :kind)) actions)))
         (with-current-buffer driver-shell
           (agent-shell--send-permission-response
            :client (map-elt (driver-state) :client)
            :request-id request
            :option-id (map-elt (seq-find (lambda (action) (equal (map-elt action :kind) driver-answer)) actions)
                                :option-id)
            :state (driver-state)
            :tool-call-id id)))))
   (map-elt (driver-state) :tool-calls)))

(defun driver-look ()
  "Tell what has changed in the chat."
  (when (buffer-live-p driver-shell)
    (let ((now (with-current-buffer driver-shell (buffer-substring-no-properties (point-min) (point-max)))))
      (unless (equal now driver-shown)
        (setq driver-shown now)
        (driver-tell :event "said" :text now)))
    (driver-answer-permission)
    (when (and driver-running (not (agent-shell--active-requests-p (driver-state))))
      (driver-tell :event "turn" :number driver-running :end "done")
      (setq driver-running nil))))

(defun driver-open (&optional session)
  "Open a chat, with the history of SESSION."
  (setq driver-shell
        (agent-shell--start :config (agent-shell-make-agentd-config) :no-focus t :new-session t :session-id session))
  (driver-wait "a session" #'driver-session)
  (driver-wait "an end of the opening" (lambda () (not (agent-shell--active-requests-p (driver-state)))))
  (driver-look)
  (driver-tell :event "opened" :session (driver-session)))

(defun driver-set (setter &rest arguments)
  "Call SETTER with ARGUMENTS in the chat, and tell whether it went well."
  (with-current-buffer driver-shell
    (apply setter
           (append arguments
                   (list :on-success (lambda (&rest _) (driver-tell :event "set"))
                         :on-failure (lambda (&rest why)
                                       (driver-tell :event "failed" :do "set" :message (format "%S" why))))))))

(defun driver-list ()
  "Tell the sessions of this directory, of which agent-shell reads the first page."
  (acp-send-request
   :client (map-elt (driver-state) :client)
   :request (acp-make-session-list-request :cwd default-directory)
   :buffer driver-shell
   :on-success (lambda (response)
                 (driver-tell :event "listed"
                              :sessions (vconcat (mapcar (lambda (session) (map-elt session 'sessionId))
                                                         (map-elt response 'sessions)))))))

(defun driver-do (command)
  "Handle COMMAND of the test."
  (pcase (gethash "do" command)
    ("open" (driver-open))
    ("load" (driver-open (gethash "session" command)))
    ("prompt"
     ;; It queues what is typed while a turn runs; its user waits.
     (driver-wait "the end of the last turn" (lambda () (not driver-running)))
     (setq driver-answer (gethash "answer" command "allow_once"))
     (agent-shell-insert :text (gethash "text" command) :submit t :no-focus t :shell-buffer driver-shell)
     (setq driver-running (setq driver-prompts (1+ driver-prompts))))
    ("cancel" (with-current-buffer driver-shell (agent-shell-interrupt t)))
    ("list" (driver-list))
    ("mode" (driver-set #'agent-shell--config-option-set-mode-id :mode-id (gethash "value" command)))
    ("option" (driver-set #'agent-shell--set-session-config-option
                          :config-id (gethash "option" command) :value (gethash "value" command)))
    ("end" (kill-emacs 0))))

(setq driver-socket
      (make-network-process
       :name "driver" :family 'local :service (getenv "EDITOR_SOCKET") :coding 'utf-8 :noquery t
       :filter (lambda (_ text)
                 (let ((lines (split-string (concat driver-rest text) "\n")))
                   (setq driver-rest (car (last lines)))
                   (dolist (line (butlast lines))
                     (setq driver-queue (append driver-queue (list (json-parse-string line)))))))
       :sentinel (lambda (&rest _) (kill-emacs 0))))

(while t
  (accept-process-output nil 0.02)
  (driver-look)
  (when driver-queue
    (let ((command (pop driver-queue)))
      (condition-case failure
          (driver-do command)
        (error (driver-tell :event "failed" :do (gethash "do" command) :message (format "%S" failure)))))))
;;; agent-shell.el ends here
