// The library's errors as exceptions: WrongInput is a ValueError too, Failure a RuntimeError.
#include "fovea/base/error/error.h"
#include "python/src/parts.h"
#include "python/src/values.h"
#include "python/src/wording.h"

namespace fovea::python {

namespace {

PyObject* base = nullptr;  // these four live as long as the interpreter
PyObject* wrong = nullptr;
PyObject* wrong_kind = nullptr;
PyObject* failed = nullptr;

PyObject* exception_type(const char* name, const char* doc, const py::tuple& bases) {
  PyObject* const type = PyErr_NewExceptionWithDoc(name, doc, bases.ptr(), nullptr);
  if (!type) throw py::error_already_set();
  return type;
}

PyObject* type_of(const Error& error) { return error.kind() == Error::Kind::wrong_input ? wrong : failed; }

py::object exception_of(const Error& error, PyObject* type) {
  const Wording& words = python_wording();
  py::object exception = py::reinterpret_borrow<py::object>(type)(words.paragraph(error));
  exception.attr("problem") = words.problem(error);
  exception.attr("remedy") = words.remedy(error);
  exception.attr("place") = words.place(error.place());
  exception.attr("nearest") = error.remedy().nearest();
  return exception;
}

}  // namespace

void bind_errors(py::module_& module) {
  const auto builtin = [](PyObject* type) { return py::reinterpret_borrow<py::object>(type); };
  base = exception_type("fovea.Error",
                        "What fovea refuses or could not do. `problem` says what is wrong, `remedy` what to do, "
                        "`place` where, `nearest` the known name that is nearest to a wrong one (each may be empty).",
                        py::make_tuple(builtin(PyExc_Exception)));
  wrong = exception_type("fovea.WrongInput", "A name, a setting or data that are wrong.",
                         py::make_tuple(builtin(base), builtin(PyExc_ValueError)));
  wrong_kind = exception_type("fovea.WrongType", "An argument of another type than the one that is wanted.",
                              py::make_tuple(builtin(wrong), builtin(PyExc_TypeError)));
  failed = exception_type("fovea.Failure", "Asked rightly, but it could not be done.",
                          py::make_tuple(builtin(base), builtin(PyExc_RuntimeError)));
  module.attr("Error") = builtin(base);
  module.attr("WrongInput") = builtin(wrong);
  module.attr("WrongType") = builtin(wrong_kind);
  module.attr("Failure") = builtin(failed);
  // For what the package itself refuses: the same paragraphs.
  module.def("wrong_input", [](const std::string& what, const std::string& remedy) {
    return exception_of(wrong_input(what, remedy), wrong);
  });
  module.def("wrong_type", [](const std::string& what, const std::string& remedy) {
    return exception_of(wrong_input(what, remedy), wrong_kind);
  });
  module.def("failure", [](const std::string& what, const std::string& remedy) {
    return exception_of(failure(what, remedy), failed);
  });
  // Every remedy that has a code, for tests.
  module.def("remedies", [](const py::list& arguments) {
    py::list all;
    for (int code = 1; code < static_cast<int>(Remedy::Code::count_); ++code) {
      Remedy remedy(static_cast<Remedy::Code>(code), {});
      for (const py::handle argument : arguments) remedy.arguments.push_back(value_of(argument, "an argument"));
      all.append(python_wording().remedy(remedy));
    }
    return all;
  });
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetObject(type_of(error), exception_of(error, type_of(error)).ptr());
    }
  });
}

}  // namespace fovea::python
