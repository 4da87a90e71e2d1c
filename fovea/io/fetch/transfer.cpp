#include "fovea/io/fetch/transfer.h"

#ifdef FOVEA_HAS_CURL

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <memory>

#include "fovea/base/version.h"

namespace fovea {

namespace {

using End = Transferred::End;

constexpr long most_redirects = 8;
constexpr const char* elsewhere = "give another source, or fetch the file by other means";

// libcurl calls back through C, which no exception may cross.
class Connection {
 public:
  explicit Connection(const Transfer& wanted) : wanted_(wanted), curl_(curl_easy_init(), curl_easy_cleanup) {}

  Transferred run() {
    if (!curl_) return {End::refused, "cannot be asked for: no memory", {}};
    const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(curl_.get(), option, value); };
    set(CURLOPT_URL, wanted_.address.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, most_redirects);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_USERAGENT, ("fovea/" + std::string(version())).c_str());
    const long patience = std::max(1L, static_cast<long>(wanted_.timeout));
    set(CURLOPT_CONNECTTIMEOUT, std::min(patience, 30L));
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, patience);
    const std::string range = fmt::format("{}-", wanted_.from);
    if (wanted_.from > 0) set(CURLOPT_RANGE, range.c_str());
    set(CURLOPT_HEADERFUNCTION, &Connection::header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Connection::body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_XFERINFOFUNCTION, &Connection::progress);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_ERRORBUFFER, message_);
    const CURLcode code = curl_easy_perform(curl_.get());
    if (thrown_) std::rethrow_exception(thrown_);
    return outcome(code);
  }

 private:
  Transferred outcome(CURLcode code) const {
    const long status = this->status();
    if (code == CURLE_TOO_MANY_REDIRECTS)
      return {End::refused, fmt::format("redirects more than {} times", most_redirects), elsewhere};
    long redirects = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_REDIRECT_COUNT, &redirects);
    const bool no_address = code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL;
    if (no_address && redirects > 0)
      return {End::refused, "redirects to an address that is not a web address", elsewhere};
    if (no_address) return {End::refused, "is not a web address", "write it as https://HOST/PATH", true};
    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
      return {End::refused, fmt::format("cannot be trusted: {}", words(code)),
              "check the ca-certificates and the clock of this machine"};
    if (wrong_range_)
      return {End::broken, "the server sent another part of the file than was asked for", {}, false, true};
    // Asked for what comes behind the last byte.
    if (status == 416 && wanted_.from > 0) return {End::whole, "the server has no more of the file", {}};
    if (status >= 400) return refusal(status);
    if (code == CURLE_OPERATION_TIMEDOUT)
      return {End::broken, fmt::format("no data arrived for {} s", std::max(1.0, wanted_.timeout)), {}};
    if (code != CURLE_OK) return {End::broken, words(code), {}};
    if (status != 200 && status != 206) return {End::refused, fmt::format("answers with status {}", status), elsewhere};
    return {End::whole, "the server sent no more", {}};
  }

  static Transferred refusal(long status) {
    if (status == 408 || status == 429 || status >= 500)
      return {End::broken, fmt::format("the server cannot give it now (status {})", status), {}};
    const char* const what = status == 404 || status == 410   ? "is not there"
                             : status == 401 || status == 403 ? "may not be fetched"
                                                              : "is refused";
    return {End::refused, fmt::format("{} (status {})", what, status), elsewhere};
  }

  std::string words(CURLcode code) const { return *message_ ? message_ : curl_easy_strerror(code); }

  long status() const {
    long status = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

  static std::size_t header(char* data, std::size_t, std::size_t size, void* self) {
    auto& connection = *static_cast<Connection*>(self);
    const std::string_view line(data, size);
    if (line.starts_with("HTTP/")) connection.sent_from_ = -1;  // those of an answer that led on are over
    constexpr std::string_view name = "content-range:";
    if (line.size() > name.size() && std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
          return a == (b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b);
        })) {
      const std::size_t digit = line.find_first_of("0123456789");
      if (digit != line.npos) std::from_chars(line.data() + digit, line.data() + line.size(), connection.sent_from_);
    }
    return size;
  }

  static std::size_t body(char* data, std::size_t, std::size_t size, void* self) {
    auto& connection = *static_cast<Connection*>(self);
    return connection.accept({data, size}) ? size : 0;
  }

  bool accept(std::string_view bytes) {
    const long status = this->status();
    if (status >= 300) return true;  // the words of a page that says what is wrong
    try {
      if (!begun_ && wanted_.from > 0) {
        wrong_range_ = status == 206 && sent_from_ != wanted_.from;
        if (wrong_range_) return false;
        if (status != 206) wanted_.restart();
      }
      begun_ = true;
      return wanted_.take(bytes);
    } catch (...) {
      thrown_ = std::current_exception();
      return false;
    }
  }

  static int progress(void* self, curl_off_t total, curl_off_t, curl_off_t, curl_off_t) {
    auto& connection = *static_cast<Connection*>(self);
    try {
      const std::int64_t before = connection.status() == 206 ? connection.wanted_.from : 0;
      return connection.wanted_.go_on(total > 0 ? total + before : 0) ? 0 : 1;
    } catch (...) {
      connection.thrown_ = std::current_exception();
      return 1;
    }
  }

  const Transfer& wanted_;
  std::unique_ptr<CURL, void (*)(CURL*)> curl_;
  std::int64_t sent_from_ = -1;
  bool begun_ = false, wrong_range_ = false;
  std::exception_ptr thrown_;
  char message_[CURL_ERROR_SIZE] = {};
};

}  // namespace

bool can_transfer() { return true; }

Transferred transfer(const Transfer& wanted) {
  static const CURLcode begun = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (begun != CURLE_OK) return {End::refused, "cannot be asked for: libcurl does not start", {}};
  return Connection(wanted).run();
}

}  // namespace fovea

#else

namespace fovea {

bool can_transfer() { return false; }
Transferred transfer(const Transfer&) { return {Transferred::End::refused, "cannot be asked for", {}}; }

}  // namespace fovea

#endif
